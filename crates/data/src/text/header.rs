//! Whether the first record of a CSV file names its columns, or is a row already.
//!
//! Names are what the rows below are not. A first record that is like those rows, with numbers where they have numbers and texts where
//! they have texts, is one of them, unless its numbers are such as columns are named by: years, and others that count up.

/// What the first record is taken for, if nobody said it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstRecord {
    /// Names, or what was said it is: nothing is worth a remark.
    Plain,
    /// A row, because it is like the rows below, or has nothing but numbers.
    Row,
    /// Names, although it has numbers where the rows below have numbers.
    NumbersAsNames,
}

impl FirstRecord {
    /// What the first of these records is.
    pub fn guess(records: &[Vec<String>], missing: &[String]) -> Self {
        let Some((first, below)) = records.split_first() else { return Self::Plain };
        let is_missing = |cell: &String| missing.contains(cell);
        // pandas names the columns of an array 0, 1, 2, … behind the empty name of its row numbers.
        if first[0].is_empty() && first[1..].iter().enumerate().all(|(place, cell)| *cell == place.to_string()) {
            return Self::Plain;
        }
        if !first.iter().any(|cell| is_number(cell) && !is_missing(cell)) {
            return Self::Plain;
        }
        if first.iter().all(|cell| is_missing(cell) || is_number(cell)) {
            return Self::Row;
        }
        let column = |place: usize| below.iter().filter_map(move |record| record.get(place)).filter(|cell| !is_missing(cell));
        let (mut numbers, mut is_met_below) = (Vec::new(), false);
        for (place, cell) in first.iter().enumerate() {
            let Some(one) = column(place).next() else { continue };
            let has_numbers = is_number(one) && column(place).all(|cell| is_number(cell));
            match (is_missing(cell), has_numbers, is_number(cell)) {
                (true, ..) => {}
                (false, true, true) => numbers.push(cell.as_str()),
                (false, false, false) => is_met_below |= column(place).any(|other| other == cell),
                // A name above numbers, or a number above texts.
                _ => return Self::Plain,
            }
        }
        match numbers.is_empty() {
            true => Self::Plain,
            false if !is_met_below && may_be_names(&numbers) => Self::NumbersAsNames,
            false => Self::Row,
        }
    }
}

fn is_number(cell: &str) -> bool {
    // `inf` and `nan` are numbers to a parser, and may well be names.
    cell.contains(|c: char| c.is_ascii_digit()) && cell.parse::<f64>().is_ok()
}

/// Whether numbers are such as columns are named by: whole, growing from left to right, and years, 0 and 1, or three at least.
fn may_be_names(numbers: &[&str]) -> bool {
    let whole = |number: &&str| number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse::<u64>().ok()).flatten();
    let Some(whole) = numbers.iter().map(whole).collect::<Option<Vec<u64>>>() else { return false };
    let grow = whole.windows(2).all(|pair| pair[0] < pair[1]);
    grow && (whole.len() > 2 || whole == [0, 1] || whole.iter().all(|year| (1000..3000).contains(year)))
}

#[cfg(test)]
mod tests {
    use super::FirstRecord::{self, NumbersAsNames, Plain, Row};

    fn guess(text: &str) -> FirstRecord {
        let records: Vec<Vec<String>> = text.split(' ').map(|line| line.split(',').map(String::from).collect()).collect();
        FirstRecord::guess(&records, &["".into(), "?".into()])
    }

    #[test]
    fn what_is_like_the_rows_below_is_a_row() {
        assert_eq!(guess("5.1,3.5,1.4,0.2,Iris-setosa 4.9,3.0,1.4,0.2,Iris-setosa"), Row);
        assert_eq!(guess("5.1,setosa 4.9,virginica"), Row);
        assert_eq!(guess("39,State-gov,77516,Bachelors 50,Self-emp,83311,Bachelors"), Row);
        assert_eq!(guess("1,Ann,34 2,Bob,27"), Row);
        assert_eq!(guess("?,x,-3 5,y,4"), Row);
        assert_eq!(guess("b,30.83,? a,58.67,4"), Row);
        // Years, but of rows: the text is met again.
        assert_eq!(guess("x,1999,2000 x,3,4"), Row);
        assert_eq!(guess("1,2.5 3,4"), Row);
        assert_eq!(guess("1,2"), Row);
    }

    #[test]
    fn names_are_what_the_rows_below_are_not() {
        assert_eq!(guess("a,b 1,2"), Plain);
        assert_eq!(guess("a,b x,y"), Plain);
        assert_eq!(guess("a,1.5 1,2"), Plain);
        assert_eq!(guess("x,2.5 y,z"), Plain);
        assert_eq!(guess("x,2.5"), Plain);
        assert_eq!(guess("inf,a 1,b"), Plain);
        assert_eq!(guess(",0,1 0,5,6"), Plain);
    }

    #[test]
    fn columns_may_be_named_by_numbers() {
        assert_eq!(guess("country,1999,2000 x,3,4"), NumbersAsNames);
        assert_eq!(guess("country,2000 x,3"), NumbersAsNames);
        assert_eq!(guess("0,1,label 5.5,6,a 4,3,b"), NumbersAsNames);
        assert_eq!(guess("gene,5,10,20 x,3,4,5"), NumbersAsNames);
    }
}
