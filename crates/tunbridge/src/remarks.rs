//! Remarks in few words: what is true of many columns is said once, with the first of them by name.

use learn::{LeftOut, Remark};

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
    let mut said: Vec<(Group<'_>, Vec<&str>, &Remark)> = Vec::new();
    for remark in remarks {
        let (group, column) = match remark {
            Remark::ColumnLeftOut { variable, why } => (Group::LeftOut(*why), variable.as_str()),
            Remark::NoObservations { variable, class } => (Group::NoObservations(class), variable.as_str()),
            Remark::BorrowedVariance { variable, class } => (Group::BorrowedVariance(class), variable.as_str()),
            Remark::SingleRow { class } => (Group::SingleRow, class.as_str()),
            Remark::LabelOfNoRow { label } => (Group::LabelOfNoRow, label.as_str()),
            Remark::LabelOfEveryRow { label } => (Group::LabelOfEveryRow, label.as_str()),
            _ => (Group::Alone(said.len()), ""),
        };
        match said.iter_mut().find(|(other, _, _)| *other == group) {
            Some((_, columns, _)) => columns.push(column),
            None => said.push((group, vec![column], remark)),
        }
    }
    said.into_iter()
        .map(|(group, names, first)| {
            let (n, names) = (names.len(), list(&names));
            match group {
                _ if n == 1 => first.to_string(),
                Group::LeftOut(why) => format!("{n} columns are left out: {why} ({names})"),
                Group::NoObservations(class) => {
                    format!("{n} columns are missing in every row of class `{class}` ({names}): whole columns, or equal shares, stand in")
                }
                Group::BorrowedVariance(class) => {
                    format!("{n} columns do not vary in class `{class}` ({names}): the variance within all classes stands in")
                }
                Group::SingleRow => format!("{n} classes weigh no more than one row each ({names})"),
                Group::LabelOfNoRow => format!("no row has any of {n} labels ({names})"),
                Group::LabelOfEveryRow => format!("every row has {n} labels ({names})"),
                Group::Alone(_) => first.to_string(),
            }
        })
        .collect()
}

#[derive(PartialEq)]
enum Group<'r> {
    LeftOut(LeftOut),
    NoObservations(&'r str),
    BorrowedVariance(&'r str),
    SingleRow,
    LabelOfNoRow,
    LabelOfEveryRow,
    Alone(usize),
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
}
