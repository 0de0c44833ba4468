//! Remarks in few words: what is true of many columns is said once, with the first of them by name.

use learn::{BLURRED, LeftOut, Remark};

/// Columns or states that are named before the rest is only counted.
const NAMED: usize = 5;

/// The first few in backquotes, and whether there are more.
pub(crate) fn list(names: &[impl AsRef<str>]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{}`", name.as_ref())).collect();
    format!("{}{}", shown.join(", "), if names.len() > NAMED { ", …" } else { "" })
}

/// `one` and the noun for one, or the number and the other for more.
pub(crate) fn counted(n: u64, one: &str, more: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {more}") }
}

/// The remarks on a model. A table with many gaps would otherwise have one for each pair of a column and a class.
pub(crate) fn of_model(remarks: &[Remark]) -> Vec<String> {
    let mut said: Vec<Said<'_>> = Vec::new();
    for remark in remarks {
        let (group, column, class) = match remark {
            Remark::ColumnLeftOut { variable, why } => (Group::LeftOut(*why), variable.as_str(), None),
            Remark::NoObservations { variable, class } => (Group::NoObservations, variable.as_str(), Some(class.as_str())),
            Remark::BorrowedVariance { variable, class } => (Group::BorrowedVariance, variable.as_str(), Some(class.as_str())),
            Remark::Blurred { variable } => (Group::Blurred, variable.as_str(), None),
            Remark::SingleRow { class } => (Group::SingleRow, class.as_str(), None),
            Remark::LabelOfNoRow { label } => (Group::LabelOfNoRow, label.as_str(), None),
            Remark::LabelOfEveryRow { label } => (Group::LabelOfEveryRow, label.as_str(), None),
            _ => (Group::Alone(said.len()), "", None),
        };
        let classes: Vec<&str> = class.into_iter().collect();
        match said.iter_mut().find(|other| other.group == group && other.classes == classes) {
            Some(other) => other.names.push(column),
            None => said.push(Said { group, names: vec![column], classes, first: remark }),
        }
    }
    of_many_classes(said).iter().map(Said::in_words).collect()
}

/// A remark, and what it is true of.
struct Said<'r> {
    group: Group,
    /// The columns, or the classes or labels.
    names: Vec<&'r str>,
    /// The classes in whose rows it is true of the columns, where it is not of all.
    classes: Vec<&'r str>,
    first: &'r Remark,
}

#[derive(Clone, Copy, PartialEq)]
enum Group {
    LeftOut(LeftOut),
    NoObservations,
    BorrowedVariance,
    Blurred,
    SingleRow,
    LabelOfNoRow,
    LabelOfEveryRow,
    Alone(usize),
}

/// What is true of the same columns in several classes is said of these together; and of all that is true of, if they are many.
fn of_many_classes(said: Vec<Said<'_>>) -> Vec<Said<'_>> {
    const MOST: usize = 3;
    let mut gathered: Vec<Said<'_>> = Vec::new();
    for one in said {
        match gathered.iter_mut().find(|other| other.group == one.group && other.names == one.names) {
            Some(other) => other.classes.extend(one.classes),
            None => gathered.push(one),
        }
    }
    let many =
        [Group::NoObservations, Group::BorrowedVariance].map(|group| gathered.iter().filter(|one| one.group == group).count() > MOST);
    let is_many = |group: Group| group == Group::NoObservations && many[0] || group == Group::BorrowedVariance && many[1];
    let mut all: Vec<Said<'_>> = Vec::new();
    for one in gathered {
        match all.iter_mut().find(|other| is_many(one.group) && other.group == one.group) {
            Some(other) => {
                let fresh = |mine: &[&str], name: &&str| !mine.contains(name);
                let names: Vec<_> = one.names.into_iter().filter(|name| fresh(&other.names, name)).collect();
                other.names.extend(names);
                let classes: Vec<_> = one.classes.into_iter().filter(|class| fresh(&other.classes, class)).collect();
                other.classes.extend(classes);
            }
            None => all.push(one),
        }
    }
    all
}

impl Said<'_> {
    fn in_words(&self) -> String {
        let (n, names) = (self.names.len(), list(&self.names));
        if n == 1 && self.classes.len() <= 1 {
            return self.first.to_string();
        }
        let of_class = match &self.classes[..] {
            [one] => format!("class `{one}` ({names})"),
            many if n == 1 => format!("{} classes ({})", many.len(), list(many)),
            many => format!("one or more of {} classes ({names}; {})", many.len(), list(many)),
        };
        let columns = if n == 1 { names.clone() } else { format!("{n} columns") };
        let [are, do_not] = if n == 1 { ["is", "does not"] } else { ["are", "do not"] };
        match self.group {
            Group::LeftOut(why) => format!("{n} columns are left out: {why} ({names})"),
            Group::NoObservations => {
                format!("{columns} {are} missing in every row of {of_class}: whole columns, or equal shares, stand in")
            }
            Group::BorrowedVariance => format!("{columns} {do_not} vary in {of_class}: the variance within all classes stands in"),
            Group::Blurred => format!("{n} columns are blurred ({names}), of each: {BLURRED}"),
            Group::SingleRow => format!("{n} classes weigh no more than one row each ({names})"),
            Group::LabelOfNoRow => format!("no row has any of {n} labels ({names})"),
            Group::LabelOfEveryRow => format!("every row has {n} labels ({names})"),
            Group::Alone(_) => self.first.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_true_of_many_is_said_once() {
        let gap = |variable: &str, class: &str| Remark::NoObservations { variable: variable.into(), class: class.into() };
        let constant = |variable: &str| Remark::ColumnLeftOut { variable: variable.into(), why: LeftOut::Constant };
        let all = [gap("a", "p"), gap("a", "q"), gap("b", "p"), constant("c"), constant("d"), Remark::SingleRow { class: "q".into() }];
        assert_eq!(
            of_model(&all),
            [
                "2 columns are missing in every row of class `p` (`a`, `b`): whole columns, or equal shares, stand in",
                "`a` is missing in every row of class `q`: the whole column, or equal shares, stand in",
                "2 columns are left out: constant (`c`, `d`)",
                "class `q` weighs no more than one row",
            ]
        );
        assert_eq!(list(&["1", "2", "3", "4", "5", "6"]), "`1`, `2`, `3`, `4`, `5`, …");
    }
    #[test]
    fn many_classes_with_the_same_gap_are_one_remark() {
        let gap = |variable: String, class: String| Remark::NoObservations { variable, class };
        let same: Vec<Remark> = (0..30).map(|class| gap("cat".into(), format!("c{class}"))).collect();
        assert_eq!(
            of_model(&same),
            ["`cat` is missing in every row of 30 classes (`c0`, `c1`, `c2`, `c3`, `c4`, …): whole columns, or equal shares, stand in"]
        );
        let others: Vec<Remark> = (0..30).map(|n| gap(format!("v{}", n % 7), format!("c{n}"))).collect();
        assert_eq!(
            of_model(&others),
            ["7 columns are missing in every row of one or more of 30 classes (`v0`, `v1`, `v2`, `v3`, `v4`, …; `c0`, `c7`, `c14`, \
              `c21`, `c28`, …): whole columns, or equal shares, stand in"]
        );
    }
}
