//! Numbers to bins by cut points: bin i holds cuts\[i−1\] < x ≤ cuts\[i\], so that the bin of x is how many cuts lie below it.

use crate::{Code, Codes};

/// Scratch for the bins of one column, kept from column to column.
#[derive(Clone, Debug, Default)]
pub struct BinCodes {
    narrow: Vec<u8>,
    wide: Vec<u16>,
    widest: Vec<u32>,
}

impl BinCodes {
    /// The bin of every value; a missing value has a missing bin.
    pub fn fill(&mut self, cuts: &[f64], values: &[f64]) -> Codes<'_> {
        let n_bins = cuts.len() + 1;
        if n_bins <= u8::MAX as usize {
            fill(&mut self.narrow, cuts, values, |bin| bin as u8);
        } else if n_bins <= u16::MAX as usize {
            fill(&mut self.wide, cuts, values, |bin| bin as u16);
        } else {
            fill(&mut self.widest, cuts, values, |bin| bin as u32);
        }
        self.codes(n_bins)
    }

    /// What was filled in last, of so many bins.
    pub fn codes(&self, n_bins: usize) -> Codes<'_> {
        if n_bins <= u8::MAX as usize {
            Codes::U8(&self.narrow)
        } else if n_bins <= u16::MAX as usize {
            Codes::U16(&self.wide)
        } else {
            Codes::U32(&self.widest)
        }
    }
}

/// The bin of one number, or `None` if it is missing.
pub fn bin_of(cuts: &[f64], x: f64) -> Option<usize> {
    (!x.is_nan()).then(|| cuts.partition_point(|&cut| cut < x))
}

/// Whether these can be cut points: finite and strictly increasing.
pub fn are_cuts(cuts: &[f64]) -> bool {
    cuts.iter().all(|cut| cut.is_finite()) && cuts.is_sorted_by(|a, b| a < b)
}

/// What the bins are called: `<=1.5`, `1.5..3`, `>3`; a single one is `any`. Cuts have six digits in their names, or all where six do not tell
/// them apart.
pub fn bin_names(cuts: &[f64]) -> Vec<String> {
    let short: Vec<f64> = cuts.iter().map(|cut| format!("{cut:.5e}").parse().unwrap_or(*cut)).collect();
    let cuts = if are_cuts(&short) { &short } else { cuts };
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else { return vec!["any".into()] };
    let between = cuts.windows(2).map(|pair| format!("{}..{}", pair[0], pair[1]));
    std::iter::once(format!("<={first}")).chain(between).chain([format!(">{last}")]).collect()
}

/// Up to so many cuts are compared one and all, eight numbers at a time: faster than a search, whose steps wait for each other.
const FEW: usize = 24;
const ABREAST: usize = 8;

fn fill<C: Code>(codes: &mut Vec<C>, cuts: &[f64], values: &[f64], code: impl Fn(usize) -> C) {
    codes.clear();
    let (abreast, rest) = if cuts.len() <= FEW { values.as_chunks::<ABREAST>() } else { (&[][..], values) };
    for values in abreast {
        let mut bins = [0_u64; ABREAST];
        for &cut in cuts {
            for (bin, &x) in bins.iter_mut().zip(values) {
                *bin += u64::from(cut < x);
            }
        }
        codes.extend(bins.iter().zip(values).map(|(&bin, x)| if x.is_nan() { C::MISSING } else { code(bin as usize) }));
    }
    codes.extend(rest.iter().map(|&x| {
        // The standard library's binary search is free of branches on the data.
        let bin = code(cuts.partition_point(|&cut| cut < x));
        if x.is_nan() { C::MISSING } else { bin }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_point_belongs_to_the_bin_below_it() {
        let mut bins = BinCodes::default();
        let codes = bins.fill(&[1.0, 2.0], &[0.5, 1.0, 1.5, 2.0, 2.5, f64::NAN, -1e300]);
        let found: Vec<_> = (0..codes.len()).map(|row| codes.get(row)).collect();
        assert_eq!(found, [Some(0), Some(0), Some(1), Some(1), Some(2), None, Some(0)]);
        assert_eq!(bin_of(&[1.0, 2.0], 2.0), Some(1));
        assert_eq!(bin_of(&[], 2.0), Some(0));
    }

    /// With 255 bins the last code of a byte would be the missing one, so the codes stay below it; one more bin is wider.
    #[test]
    fn many_bins_take_wider_codes() {
        let cuts = |n: usize| (0..n).map(|i| i as f64).collect::<Vec<_>>();
        let mut bins = BinCodes::default();
        let codes = bins.fill(&cuts(254), &[1e9]);
        assert!(matches!(codes, Codes::U8(_)) && codes.get(0) == Some(254));
        let codes = bins.fill(&cuts(255), &[1e9]);
        assert!(matches!(codes, Codes::U16(_)) && codes.get(0) == Some(255));
        let codes = bins.fill(&cuts(65_535), &[1e9]);
        assert!(matches!(codes, Codes::U32(_)) && codes.get(0) == Some(65_535));
    }

    #[test]
    fn few_and_many_cuts_are_searched_alike() {
        let values: Vec<f64> = (0..100).map(|i| if i % 7 == 0 { f64::NAN } else { f64::from(i * 37 % 101) / 2.0 - 3.0 }).collect();
        for n_cuts in 0..60 {
            let cuts: Vec<f64> = (0..n_cuts).map(f64::from).collect();
            let mut bins = BinCodes::default();
            let codes = bins.fill(&cuts, &values);
            for (row, &x) in values.iter().enumerate() {
                let plain = (!x.is_nan()).then(|| cuts.iter().filter(|cut| **cut < x).count());
                assert_eq!((codes.get(row), bin_of(&cuts, x)), (plain, plain));
            }
        }
    }

    #[test]
    fn bins_have_names() {
        assert_eq!(bin_names(&[]), ["any"]);
        assert_eq!(bin_names(&[2.5]), ["<=2.5", ">2.5"]);
        assert_eq!(bin_names(&[-1.0, 0.5, 3.0]), ["<=-1", "-1..0.5", "0.5..3", ">3"]);
        assert_eq!(bin_names(&[3.349_999_999_999_999_6]), ["<=3.35", ">3.35"]);
        assert_eq!(bin_names(&[1.000_000_1, 1.000_000_2]), ["<=1.0000001", "1.0000001..1.0000002", ">1.0000002"]);
    }

    #[test]
    fn cut_points_increase_and_are_finite() {
        assert!(are_cuts(&[]) && are_cuts(&[1.0, 2.0]));
        assert!(!are_cuts(&[1.0, 1.0]) && !are_cuts(&[2.0, 1.0]) && !are_cuts(&[f64::NAN]) && !are_cuts(&[1.0, f64::INFINITY]));
    }
}
