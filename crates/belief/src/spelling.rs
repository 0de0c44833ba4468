//! Words that were mistyped, and the known words that they were meant to be.

/// The word nearest to a mistyped one, if any is near: one slip in three letters, two in seven. Closer to a guess than that helps nobody.
///
/// ```
/// use tunbridge_belief::closest;
/// assert_eq!(closest("Sunyn", ["Sunny", "Rain"]), Some("Sunny"));
/// assert_eq!(closest("Fog", ["Sunny", "Rain"]), None);
/// ```
pub fn closest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let length = typed.chars().count();
    nearest(typed, words, |word| (word.min(length) + 1) / 4)
}

/// The nearest of the words that are within as many slips as `most` allows a word of so many letters. Of equals the first by the alphabet.
pub(crate) fn nearest<'w>(typed: &str, words: impl IntoIterator<Item = &'w str>, most: impl Fn(usize) -> usize) -> Option<&'w str> {
    let typed: Vec<char> = typed.to_lowercase().chars().collect();
    let slips = words.into_iter().map(|word| {
        let letters: Vec<char> = word.to_lowercase().chars().collect();
        (n_slips(&typed, &letters), letters.len(), word)
    });
    slips.filter(|(slips, length, _)| *slips <= most(*length)).map(|(slips, _, word)| (slips, word)).min().map(|(_, word)| word)
}

/// How many letters were left out, added, replaced or swapped with the next: the distance of Damerau 1964, by the dynamic programme of
/// Wagner & Fischer 1974, no letter being touched twice.
fn n_slips(a: &[char], b: &[char]) -> usize {
    // The rows of the table for one letter less, and for two less.
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut two_above = above.clone();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_above[j - 2] + 1);
            }
        }
        two_above = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_by_hand() {
        let slips = |a: &str, b: &str| n_slips(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(slips("kitten", "sitting"), 3);
        assert_eq!(slips("", "abc"), 3);
        assert_eq!(slips("abc", ""), 3);
        assert_eq!(slips("σ", "σ"), 0);
        assert_eq!(slips("nromal", "normal"), 1);
        assert_eq!(slips("ca", "abc"), 3);
    }

    #[test]
    fn the_nearest_word_is_near_enough_or_none() {
        assert_eq!(closest("Sunnny", ["Rain", "Sunny"]), Some("Sunny"));
        assert_eq!(closest("sunny", ["Rain", "Sunny"]), Some("Sunny"));
        assert_eq!(closest("ab", ["ac"]), None);
        assert_eq!(nearest("ex", ["exp", "erf"], |_| 1), Some("exp"));
        assert_eq!(closest("", ["", "x"]), Some(""));
    }
}
