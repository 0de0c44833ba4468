//! Long lists as strings of bytes, for model files: a vocabulary and its counts are a hundred thousand entries and more.
//!
//! Whole numbers take seven bits a byte, the lowest first, and the high bit of a byte says that more follow (LEB128). What is read is
//! not trusted: no more is set aside than there are bytes for.

use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::names::Names;

/// Numbers, as they take the least room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PackedNumbers {
    /// All are whole and not negative.
    Whole(Bytes),
    /// Doubles, little endian.
    Real(Bytes),
}

/// Whole numbers below 2³².
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackedCodes(Bytes);

/// Names, each written as how many bytes it begins with that the one before begins with too, and what is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PackedNames {
    shared: PackedCodes,
    left: PackedCodes,
    text: Bytes,
}

/// Bytes that are written as such, and not as a list of numbers.
#[derive(Clone, Default, PartialEq)]
pub struct Bytes(Vec<u8>);

const DAMAGED: &str = "a packed list that cannot be unpacked";

/// Up to here every whole number is a double.
const MOST: f64 = (1_u64 << 53) as f64;

impl PackedNumbers {
    /// Packs.
    pub fn new(numbers: &[f64]) -> Self {
        let is_whole = |x: &f64| (0.0..=MOST).contains(x) && x.is_sign_positive() && *x as u64 as f64 == *x;
        if numbers.iter().all(is_whole) {
            let mut bytes = Vec::with_capacity(numbers.len() + numbers.len() / 8);
            numbers.iter().for_each(|x| push(*x as u64, &mut bytes));
            Self::Whole(Bytes(bytes))
        } else {
            Self::Real(Bytes(numbers.iter().flat_map(|x| x.to_le_bytes()).collect()))
        }
    }

    /// The numbers.
    ///
    /// # Errors
    /// When the bytes are none that were packed.
    pub fn unpack(&self) -> Result<Vec<f64>, &'static str> {
        match self {
            Self::Whole(bytes) => unpack(&bytes.0, |x| Some(x as f64)),
            Self::Real(bytes) => {
                let (numbers, rest) = bytes.0.as_chunks::<8>();
                if rest.is_empty() { Ok(numbers.iter().map(|x| f64::from_le_bytes(*x)).collect()) } else { Err(DAMAGED) }
            }
        }
    }
}

impl PackedCodes {
    /// Packs.
    pub fn new(codes: impl IntoIterator<Item = u32>) -> Self {
        let mut bytes = Vec::new();
        codes.into_iter().for_each(|code| push(u64::from(code), &mut bytes));
        Self(Bytes(bytes))
    }

    /// The codes.
    ///
    /// # Errors
    /// When the bytes are none that were packed.
    pub fn unpack(&self) -> Result<Vec<u32>, &'static str> {
        unpack(&self.0.0, |x| u32::try_from(x).ok())
    }
}

impl PackedNames {
    pub fn new(names: &Names) -> Self {
        let of_sharing = Self::sharing(names, true);
        // What beginnings make too short for what it says is not read.
        if most_bytes(of_sharing.text.0.len()) < names.n_bytes() { Self::sharing(names, false) } else { of_sharing }
    }

    fn sharing(names: &Names, may_share: bool) -> Self {
        let (mut shared, mut left, mut text) = (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()), Vec::new());
        let mut before: &[u8] = &[];
        for name in names.iter().map(str::as_bytes) {
            let n = if may_share { in_common(name, before) } else { 0 };
            push(n as u64, &mut shared);
            push((name.len() - n) as u64, &mut left);
            text.extend_from_slice(&name[n..]);
            before = name;
        }
        Self { shared: PackedCodes(Bytes(shared)), left: PackedCodes(Bytes(left)), text: Bytes(text) }
    }

    pub fn unpack(&self) -> Result<Names, &'static str> {
        let (shared, left) = (self.shared.unpack()?, self.left.unpack()?);
        if shared.len() != left.len() {
            return Err(DAMAGED);
        }
        let mut rest: &[u8] = &self.text.0;
        let most = most_bytes(rest.len());
        let (mut text, mut ends) = (Vec::with_capacity(2 * rest.len()), Vec::with_capacity(left.len()));
        let mut start = 0;
        for (shared, left) in shared.into_iter().zip(left) {
            let (shared, left, end) = (shared as usize, left as usize, text.len());
            let (found, behind) = rest.split_at_checked(left).ok_or(DAMAGED)?;
            if shared > end - start {
                return Err(DAMAGED);
            }
            if end + shared + left > most {
                return Err("names that are longer together than any");
            }
            text.extend_from_within(start..start + shared);
            text.extend_from_slice(found);
            ends.push(text.len());
            (start, rest) = (end, behind);
        }
        if !rest.is_empty() {
            return Err(DAMAGED);
        }
        String::from_utf8(text).ok().and_then(|text| Names::of_text(text, ends)).ok_or("a name that is no text")
    }
}

/// How many bytes two names begin with in common; the first eight at once, for that is most names as a whole.
fn in_common(a: &[u8], b: &[u8]) -> usize {
    let one_by_one = |from: usize| from + a[from..].iter().zip(&b[from..]).take_while(|(a, b)| a == b).count();
    match (a.first_chunk(), b.first_chunk()) {
        (Some(of_a), Some(of_b)) => match u64::from_le_bytes(*of_a) ^ u64::from_le_bytes(*of_b) {
            0 => one_by_one(8),
            other => other.trailing_zeros() as usize / 8,
        },
        _ => one_by_one(0),
    }
}

/// The most bytes that names have together whose text is so long: a name may be long, and its beginning be shared by all that follow.
fn most_bytes(text: usize) -> usize {
    text.saturating_mul(1 << 8).saturating_add(1 << 20)
}

fn push(mut x: u64, bytes: &mut Vec<u8>) {
    while x >= 0x80 {
        bytes.push(x as u8 | 0x80);
        x >>= 7;
    }
    bytes.push(x as u8);
}

fn unpack<T>(bytes: &[u8], number: impl Fn(u64) -> Option<T>) -> Result<Vec<T>, &'static str> {
    let mut numbers = Vec::with_capacity(bytes.iter().filter(|byte| **byte < 0x80).count());
    let mut rest = bytes.iter();
    while let Some(first) = rest.next() {
        let mut x = u64::from(first & 0x7F);
        if *first >= 0x80 {
            let mut shift = 7;
            loop {
                let next = *rest.next().ok_or(DAMAGED)?;
                if shift > 49 {
                    return Err(DAMAGED);
                }
                x |= u64::from(next & 0x7F) << shift;
                shift += 7;
                if next < 0x80 {
                    break;
                }
            }
        }
        numbers.push(number(x).ok_or(DAMAGED)?);
    }
    Ok(numbers)
}

impl fmt::Debug for Bytes {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{} bytes", self.0.len())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfBytes;
        impl<'de> Visitor<'de> for OfBytes {
            type Value = Bytes;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            // Formats of text write bytes as a list.
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }
        deserializer.deserialize_bytes(OfBytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list_of(names: &PackedNames) -> Result<Vec<String>, &'static str> {
        Ok(names.unpack()?.listed().to_vec())
    }

    proptest! {
        #[test]
        fn numbers_and_names_come_back(
            whole in proptest::collection::vec(0..1_u64 << 53, 0..40),
            real in proptest::collection::vec(any::<f64>().prop_filter("a number", |x| !x.is_nan()), 0..40),
            codes in proptest::collection::vec(any::<u32>(), 0..40),
            names in proptest::collection::vec("[ab]{0,6}|é[a-c]{0,3}|ê", 0..40),
        ) {
            let whole: Vec<f64> = whole.into_iter().map(|x| x as f64).collect();
            let packed = PackedNumbers::new(&whole);
            prop_assert!(matches!(packed, PackedNumbers::Whole(_)));
            prop_assert_eq!(packed.unpack(), Ok(whole));
            prop_assert_eq!(PackedNumbers::new(&real).unpack(), Ok(real));
            prop_assert_eq!(PackedCodes::new(codes.iter().copied()).unpack(), Ok(codes));
            prop_assert_eq!(list_of(&PackedNames::new(&names.iter().collect())), Ok(names));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40), more in proptest::collection::vec(any::<u8>(), 0..40)) {
            let codes = |bytes: &[u8]| PackedCodes(Bytes(bytes.to_vec()));
            let _ = PackedNumbers::Real(Bytes(bytes.clone())).unpack();
            let _ = PackedNumbers::Whole(Bytes(bytes.clone())).unpack();
            let _ = codes(&bytes).unpack();
            let _ = PackedNames { shared: codes(&bytes), left: codes(&more), text: Bytes(bytes.clone()) }.unpack();
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(PackedCodes(Bytes(vec![0x80])).unpack().is_err());
        assert!(PackedCodes(Bytes(vec![0xFF; 12])).unpack().is_err());
        assert!(PackedNumbers::Real(Bytes(vec![0; 7])).unpack().is_err());
        let names = |shared: &[u32], left: &[u32], text: &str| {
            list_of(&PackedNames {
                shared: PackedCodes::new(shared.iter().copied()),
                left: PackedCodes::new(left.iter().copied()),
                text: Bytes(text.into()),
            })
        };
        assert_eq!(names(&[0, 1], &[2, 1], "abc"), Ok(vec!["ab".into(), "ac".into()]));
        assert!(names(&[1], &[1], "a").is_err());
        assert!(names(&[0], &[1], "ab").is_err());
        assert!(names(&[0, 1], &[2], "ab").is_err());
        // Half a letter.
        assert!(names(&[0, 1], &[2, 1], "éa").is_err());
        // What is written is read, however long the beginnings.
        let long: Vec<String> = (0..3000).map(|n| "a".repeat(1000) + &format!("{n:04}")).collect();
        assert_eq!(list_of(&PackedNames::new(&long.iter().collect())), Ok(long));
        // A beginning of a megabyte that thousands of names share.
        let many = 1 << 12;
        let long = "a".repeat(1 << 20);
        assert!(names(&[&[0], vec![1 << 20; many].as_slice()].concat(), &[&[1 << 20], vec![0; many].as_slice()].concat(), &long).is_err());
    }
}
