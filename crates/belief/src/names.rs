//! A list of names as one text: a vocabulary has a hundred thousand and more, and each by itself would be memory of its own.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// Names, one after another.
#[derive(Clone, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// The same as strings, where someone has asked for them.
    listed: OnceLock<Vec<String>>,
}

impl Names {
    /// None yet, with room for so many that have so many bytes together.
    pub fn with_capacity(n: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ends: Vec::with_capacity(n), listed: OnceLock::new() }
    }

    /// The names that end at these places of a text; `None` if a place is behind the next, within a letter, or not the end of the text.
    pub fn of_text(text: String, ends: Vec<usize>) -> Option<Self> {
        let is_whole = ends.last().copied().unwrap_or(0) == text.len();
        (is_whole && ends.is_sorted() && ends.iter().all(|end| text.is_char_boundary(*end))).then(|| Self {
            text,
            ends,
            listed: OnceLock::new(),
        })
    }

    /// Adds one.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.listed.take();
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bytes of all together.
    pub fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// The name at a place.
    ///
    /// # Panics
    /// When there is none.
    pub fn get(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| &self.text[std::mem::replace(&mut start, *end)..*end])
    }

    /// Those of some places.
    pub fn range(&self, places: Range<usize>) -> impl ExactSizeIterator<Item = &str> {
        places.map(|place| self.get(place))
    }

    /// The place of a name among those from `first` on, which are in the order that `compare` knows: it tells how a name is to the one that is
    /// looked for.
    pub fn search(&self, first: usize, compare: impl Fn(&str) -> Ordering) -> Option<usize> {
        let (mut from, mut to) = (first, self.len());
        while from < to {
            let middle = from.midpoint(to);
            match compare(self.get(middle)) {
                Ordering::Equal => return Some(middle),
                Ordering::Less => from = middle + 1,
                Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// As strings, which are made when they are first asked for.
    pub fn listed(&self) -> &[String] {
        self.listed.get_or_init(|| self.iter().map(str::to_owned).collect())
    }
}

/// A list of names; whether strings were asked for is nobody's business.
impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for Names {}

impl<N: AsRef<str>> Extend<N> for Names {
    fn extend<I: IntoIterator<Item = N>>(&mut self, names: I) {
        names.into_iter().for_each(|name| self.push(name.as_ref()));
    }
}

impl<N: AsRef<str>> FromIterator<N> for Names {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        let mut all = Self::default();
        all.extend(names);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_those_of_a_plain_list(mut names in proptest::collection::vec("[ab]{0,3}|é|", 0..20), more in "[a-c]{0,2}") {
            let mut held: Names = names.iter().collect();
            prop_assert_eq!(held.listed(), &names);
            held.push(&more);
            names.push(more);
            prop_assert_eq!(held.listed(), &names);
            prop_assert_eq!(held.iter().collect::<Vec<_>>(), names.clone());
            prop_assert_eq!(held.range(1..held.len()).collect::<Vec<_>>(), names[1..].to_vec());
            prop_assert!((0..names.len()).all(|place| held.get(place) == names[place]));
            prop_assert_eq!(held.n_bytes(), names.concat().len());
            names.sort();
            names.dedup();
            let in_order: Names = names.iter().collect();
            for first in 0..names.len() {
                for (place, name) in names.iter().enumerate() {
                    prop_assert_eq!(in_order.search(first, |other| other.cmp(name)), (place >= first).then_some(place));
                }
                prop_assert_eq!(in_order.search(first, |other| other.cmp("abx")), None);
            }
        }
    }

    #[test]
    fn ends_that_cannot_be_are_refused() {
        let of = |text: &str, ends: &[usize]| Names::of_text(text.into(), ends.to_vec()).map(|names| names.listed().to_vec());
        assert_eq!(of("aéb", &[1, 1, 3, 4]), Some(vec!["a".into(), "".into(), "é".into(), "b".into()]));
        assert_eq!(of("", &[]), Some(Vec::new()));
        for (text, ends) in [("aéb", &[2, 4][..]), ("ab", &[1]), ("ab", &[]), ("ab", &[1, 3]), ("ab", &[2, 1, 2]), ("", &[1])] {
            assert_eq!(of(text, ends), None, "{text} {ends:?}");
        }
    }

    #[test]
    fn names_cut_elsewhere_are_others() {
        let of = |names: &[&str]| names.iter().collect::<Names>();
        assert!(of(&["ab", "c"]) != of(&["a", "bc"]) && of(&["ab", "c"]) == of(&["ab", "c"]));
    }
}
