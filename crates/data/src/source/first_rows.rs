//! The first rows of a file, column by column, by which kinds are inferred.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::DataType;
use belief::States;

use super::{Layout, Source, arrow_hint};
use crate::DataError;
use crate::columnar::encode::{is_text, number_text};
use crate::columnar::ipc::Batches;
use crate::profile::{Profile, SAMPLE_ROWS};
use crate::text::arff;
use crate::text::blocks::Pool;
use crate::text::json_lines;
use crate::text::tile::Tile;

/// Rows in which a column of doubles is first looked at for a fraction.
const AT_A_GLANCE: usize = 1024;

impl Source {
    /// Profiles the first rows; `place_of` tells which profile each column has.
    pub fn profile(&self, place_of: &[usize], profiles: &mut [Profile], nested: &mut [bool], most: usize) -> Result<usize, DataError> {
        match &self.layout {
            Layout::Csv(dialect) => {
                let mut blocks = self.blocks(8192, 0, Pool::default())?;
                let mut tile = Tile::new(self.names.len(), dialect.delimiter);
                let mut rows = 0;
                while let Some(block) = if rows < most { blocks.next()? } else { None } {
                    let mut from = 0;
                    while from < block.len {
                        from = tile.index(&block, from);
                        let good = tile.has_faults().then(|| tile.good_rows());
                        for (column, place) in place_of.iter().enumerate() {
                            let profile = &mut profiles[*place];
                            match &good {
                                None => profile.observe_column(&block, &tile, column),
                                Some(good) => good.iter().for_each(|row| {
                                    let (start, end) = tile.span(*row, column);
                                    profile.observe_cell(&block.bytes[start..end]);
                                }),
                            }
                        }
                        rows += tile.n_rows();
                    }
                    profiles.iter_mut().for_each(Profile::settle);
                }
                Ok(rows)
            }
            Layout::Arff(header) => {
                let mut blocks = self.blocks(8192, 0, Pool::default())?;
                let mut rows = 0;
                while let Some(block) = if rows < most { blocks.next()? } else { None } {
                    for row in arff::rows(&block, header) {
                        rows += 1;
                        // What is wrong with a malformed row is said when the table is read.
                        let Ok(row) = row else { continue };
                        for (place, value) in place_of.iter().zip(row) {
                            profiles[*place].observe(value.as_deref().map(str::as_bytes));
                        }
                    }
                }
                Ok(rows)
            }
            Layout::JsonLines { .. } => {
                let mut blocks = self.blocks(4096, 0, Pool::default())?;
                let mut rows = 0;
                while let Some(block) = if rows < most { blocks.next()? } else { None } {
                    rows += json_lines::profile(&block, &self.names, |column, text, is_nested| {
                        profiles[place_of[column]].observe(text);
                        nested[place_of[column]] |= is_nested;
                    });
                }
                Ok(rows)
            }
            Layout::Documents(documents) => {
                // Only the class is looked at: the path and the text are what they are.
                let files = (0..documents.len()).filter(|file| documents.has_documents(*file));
                Ok(files.map(|file| profiles[place_of[1]].observe(documents.class(file).map(str::as_bytes))).count())
            }
            Layout::Parquet(file) => {
                let mut rows = 0;
                // Columns that their type decides need not be looked at.
                let mut open = self.undecided();
                for part in file.parts(SAMPLE_ROWS) {
                    if rows >= most {
                        break;
                    }
                    if rows == 0 {
                        open = self.without_fractions(open, place_of, profiles, |numbers, each| {
                            file.read(&part.first(AT_A_GLANCE), AT_A_GLANCE, numbers, &Pool::default(), each)
                        })?;
                    }
                    let mut seen = 0;
                    if !open.is_empty() {
                        file.read(&part.first(most - rows), 8192, &open, &Pool::default(), |batch| {
                            seen += batch.num_rows();
                            profile_batch(&batch, open.iter().map(|column| place_of[*column]), profiles, file.keeps_dictionaries());
                            Ok(())
                        })?;
                    } else {
                        seen = part.n_rows();
                    }
                    rows += seen;
                }
                Ok(rows)
            }
            Layout::Ipc(_) => {
                let (mut batches, pool) = (Batches::open(&self.input)?, Pool::default());
                let mut open = self.undecided();
                let mut rows = 0;
                while let Some(batch) = if rows < most { batches.next(&self.input)? } else { None } {
                    if rows == 0 {
                        open = self.without_fractions(open, place_of, profiles, |numbers, each| {
                            batch.each_slice(&self.input, &pool, numbers, (AT_A_GLANCE, AT_A_GLANCE), each)
                        })?;
                    }
                    batch.each_slice(&self.input, &pool, &open, (SAMPLE_ROWS, 8192), |batch| {
                        rows += batch.num_rows();
                        profile_batch(&batch, open.iter().map(|column| place_of[*column]), profiles, true);
                        Ok(())
                    })?;
                }
                Ok(rows)
            }
        }
    }

    /// Columns that are still undecided when `read` has handed on the first few rows of numbers: a fraction decides what its column is, and most
    /// columns of doubles have one at once. To look at thousands of rows of each would take a good part of what learning does.
    fn without_fractions(
        &self,
        open: Vec<usize>,
        place_of: &[usize],
        profiles: &mut [Profile],
        read: impl FnOnce(&[usize], &mut dyn FnMut(RecordBatch) -> Result<(), DataError>) -> Result<(), DataError>,
    ) -> Result<Vec<usize>, DataError> {
        let types: Vec<&DataType> = self.fields().map(|field| field.data_type()).collect();
        let (numbers, mut open): (Vec<usize>, Vec<usize>) = open.into_iter().partition(|column| types[*column].is_floating());
        if numbers.is_empty() {
            return Ok(open);
        }
        let mut is_decided = vec![false; numbers.len()];
        read(&numbers, &mut |batch| {
            for ((array, column), is_decided) in batch.columns().iter().zip(&numbers).zip(&mut is_decided) {
                if !*is_decided && as_doubles(array).as_ref().is_some_and(has_fraction) {
                    profiles[place_of[*column]].observe_fraction();
                    *is_decided = true;
                }
            }
            Ok(())
        })?;
        open.extend(numbers.into_iter().zip(is_decided).filter(|(_, is_decided)| !is_decided).map(|(column, _)| column));
        open.sort_unstable();
        Ok(open)
    }

    /// Columns whose type alone does not say what they are.
    fn undecided(&self) -> Vec<usize> {
        self.fields().enumerate().filter(|(_, f)| arrow_hint(f.data_type()).is_none()).map(|(i, _)| i).collect()
    }
}

/// Numbers of any width as doubles; none if they are no such numbers.
fn as_doubles(array: &ArrayRef) -> Option<Float64Array> {
    let is_number = array.data_type().is_floating();
    let doubles = is_number.then(|| arrow_cast::cast(array, &DataType::Float64).ok()).flatten()?;
    Some(doubles.as_primitive::<Float64Type>().clone())
}

fn has_fraction(numbers: &Float64Array) -> bool {
    numbers.iter().flatten().any(|x| x.is_infinite() || x.fract().abs() > 0.0)
}

/// The columns of a batch, each with its place among the profiles.
fn profile_batch(batch: &RecordBatch, places: impl Iterator<Item = usize>, profiles: &mut [Profile], has_dictionaries: bool) {
    for ((array, field), place) in batch.columns().iter().zip(batch.schema().fields()).zip(places) {
        let profile = &mut profiles[place];
        if has_dictionaries && field.dict_is_ordered() == Some(true) && profile.declared.is_none() {
            profile.declared = ordered_states(array);
        }
        profile_array(array, profile);
    }
}

/// The values of a dictionary whose order means something: what R and pandas call ordered levels or categories. Also those that no row has.
fn ordered_states(array: &ArrayRef) -> Option<States> {
    const MOST: usize = 10_000;
    let values = array.as_any_dictionary_opt()?.values();
    let is_list = is_text(values.data_type()) && values.null_count() == 0 && values.len() <= MOST;
    let texts = is_list.then(|| arrow_cast::cast(values, &DataType::LargeUtf8).ok()).flatten()?;
    States::declared(texts.as_string::<i64>().iter().flatten().map(String::from).collect(), true).ok()
}

fn profile_array(array: &ArrayRef, profile: &mut Profile) {
    if let Some(numbers) = as_doubles(array) {
        // A single fraction decides; formatting every number to find that out would cost more than learning.
        if has_fraction(&numbers) {
            profile.observe_fraction();
            return;
        }
        for x in numbers.iter() {
            profile.observe(x.filter(|x| !x.is_nan()).map(number_text).as_deref().map(str::as_bytes));
        }
        return;
    }
    let Ok(texts) = arrow_cast::cast(array, &DataType::LargeUtf8) else { return };
    texts.as_string::<i64>().iter().for_each(|text| profile.observe(text.map(str::as_bytes)));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{ReadOptions, Table};
    use belief::{Observations, Role};

    /// Wherever the first fraction stands.
    #[test]
    fn columns_of_doubles_are_what_all_of_the_first_rows_make_them() {
        const N: usize = 3 * AT_A_GLANCE;
        /// A name, what the column is, and its numbers.
        type Column<'c> = (&'c str, &'c str, &'c dyn Fn(usize) -> Option<f64>);
        let columns: [Column<'_>; 6] = [
            ("at once", "numeric", &|row| Some(row as f64 + 0.5)),
            ("later", "numeric", &|row| Some(if row == 2 * AT_A_GLANCE { 0.5 } else { (row % 3) as f64 })),
            ("blank at first", "numeric", &|row| (row > 2 * AT_A_GLANCE).then(|| row as f64 / 7.0)),
            ("never", "category", &|row| Some((row % 3) as f64)),
            ("many", "numeric", &|row| Some((row % 50) as f64)),
            ("infinite", "numeric", &|row| Some(if row == 7 { f64::INFINITY } else { (row % 3) as f64 })),
        ];
        let mut arrays: Vec<(&str, ArrayRef)> = vec![("row", Arc::new(Float64Array::from_iter_values((0..N).map(|row| row as f64))))];
        for (name, _, number) in &columns {
            arrays.push((name, Arc::new((0..N).map(number).collect::<Float64Array>())));
        }
        let batch = RecordBatch::try_from_iter_with_nullable(arrays.into_iter().map(|(name, array)| (name, array, true))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (of_parquet, of_arrow) = (folder.path().join("t.parquet"), folder.path().join("t.arrow"));
        let mut writer = parquet::arrow::ArrowWriter::try_new(std::fs::File::create(&of_parquet).unwrap(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(&of_arrow).unwrap(), &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        for path in [of_parquet, of_arrow] {
            let table = Table::open(&[&path], ReadOptions::default()).unwrap();
            let variables = table.schema().variables();
            assert_eq!(variables[0].role, Role::Ignored("it numbers the rows".into()));
            for (variable, (name, kind, _)) in variables[1..].iter().zip(&columns) {
                assert_eq!((variable.name.as_str(), variable.kind.word()), (*name, *kind));
            }
        }
    }
}
