//! Arrow arrays to encoded columns: dictionary keys are used as they are, doubles are not copied.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Float32Type, Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef, GenericByteArray, LargeStringArray, RecordBatch, make_array};
use arrow_buffer::ArrowNativeType;
use arrow_cast::CastOptions;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, TimeUnit};

use crate::DataError;
use crate::dictionary::Dictionary;
use crate::encode::{ChunkBuilder, EncodedChunk, EncodedColumn, Faults, PlanKind, RawRows};
use crate::error::RowFault;

/// Encodes a batch, whose columns are `builder.file().variable_of` in order. Its first row has this number in its file, and so
/// many rows come `before` the file.
pub(crate) fn encode(batch: &RecordBatch, first_row: u64, before: u64, builder: &mut ChunkBuilder<'_>) -> Result<EncodedChunk, DataError> {
    let mut faults = Faults::default();
    let file = builder.file();
    for (array, variable) in batch.columns().iter().zip(&file.variable_of) {
        let Some(variable) = *variable else { continue };
        let plan = &builder.plan().variables[variable];
        let bad = |e: arrow_schema::ArrowError| DataError::BadFile {
            path: file.path.clone(),
            what: format!("column `{}` of type {}: {e}", plan.name, array.data_type()),
            hint: Some(format!("leave it out with --ignore '{}'", plan.name)),
        };
        match &plan.kind {
            PlanKind::Skip | PlanKind::Absence { .. } => {}
            PlanKind::Text { .. } if let Some(bytes) = as_bytes(array).map_err(bad)? => {
                push_all(bytes.as_binary::<i64>().iter(), variable, builder, &mut faults);
            }
            PlanKind::Text { .. } => {
                let texts = as_texts(array).map_err(bad)?;
                push_all(texts.as_string::<i64>().iter().map(|t| t.map(str::as_bytes)), variable, builder, &mut faults);
            }
            PlanKind::Labels(_) => push_labels(array, variable, builder, &mut faults).map_err(bad)?,
            PlanKind::Category { .. } => {
                let array = readable(array).map_err(bad)?;
                encode_states(&array, variable, builder, &mut faults);
            }
            PlanKind::Numeric { .. } => {
                let column = encode_numbers(array, variable, builder, &mut faults).map_err(bad)?;
                if let Some(column) = column {
                    builder.set_column(variable, column);
                }
            }
        }
    }
    builder.rows_pushed(batch.num_rows());
    builder.settle(faults, |row| first_row + row as u64 + 1)?;
    if builder.plan().keep_raw {
        let kept = if builder.dropped().is_empty() {
            batch.clone()
        } else {
            let keep: arrow_array::BooleanArray =
                (0..batch.num_rows()).map(|row| Some(builder.dropped().binary_search(&row).is_err())).collect();
            arrow_select::filter::filter_record_batch(batch, &keep).map_err(|e| DataError::BadFile {
                path: file.path.clone(),
                what: e.to_string(),
                hint: None,
            })?
        };
        builder.set_raw(RawRows::Batch(kept));
    }
    builder.finish(before + first_row)
}

/// Labels as lists of texts, or as texts with separators.
fn push_labels(array: &ArrayRef, variable: usize, builder: &mut ChunkBuilder<'_>, faults: &mut Faults) -> Result<(), ArrowError> {
    let (DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::ListView(_) | DataType::LargeListView(_)) =
        array.data_type()
    else {
        let texts = as_texts(array)?;
        push_all(texts.as_string::<i64>().iter().map(|t| t.map(str::as_bytes)), variable, builder, faults);
        return Ok(());
    };
    let item = Field::new("item", DataType::LargeUtf8, true);
    let lists = arrow_cast::cast(array, &DataType::LargeList(item.into()))?;
    for (row, list) in lists.as_list::<i64>().iter().enumerate() {
        builder.push_label_set(variable, row, faults, |take| match list {
            None => true,
            Some(list) => {
                let labels = list.as_string::<i64>().iter().flatten().map(str::trim).filter(|label| !label.is_empty());
                labels.for_each(take);
                false
            }
        });
    }
    Ok(())
}

/// An array whose values lie row by row, or in a dictionary of texts.
fn row_by_row(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    match array.data_type() {
        DataType::Dictionary(_, value) if !is_text(value) => row_by_row(&cast(array, value)?),
        DataType::RunEndEncoded(_, values) => row_by_row(&cast(array, values.data_type())?),
        _ => Ok(array.clone()),
    }
}

pub(crate) fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// A value that cannot be told as the other type is an error, and not missing.
fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, ArrowError> {
    arrow_cast::cast_with_options(array, to, &EXACT)
}

/// What Arrow does not take for a value is an error.
pub(crate) const EXACT: CastOptions<'static> = CastOptions { safe: false, format_options: FormatOptions::new() };

/// An array as texts, bytes, booleans, whole numbers, doubles or a dictionary of texts.
fn readable(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let array = &row_by_row(array)?;
    let to = match array.data_type() {
        DataType::Dictionary(key, value) if **key == DataType::Int32 && **value == DataType::Utf8 => return Ok(array.clone()),
        DataType::Dictionary(..) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Boolean | DataType::Int64 | DataType::Float64 => return Ok(array.clone()),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => DataType::Int64,
        // By the digits that such a number is written with.
        DataType::Float16 | DataType::Float32 => {
            let numbers = cast(array, &DataType::Float32)?;
            let as_written = |x: f32| x.to_string().parse().unwrap_or(f64::from(x));
            return Ok(Arc::new(numbers.as_primitive::<Float32Type>().unary::<_, Float64Type>(as_written)));
        }
        _ => return as_bytes(array)?.map_or_else(|| as_texts(array), Ok),
    };
    cast(array, &to)
}

/// Bytes that may be text, as they are: a cast would make nothing of those that are not UTF-8.
fn as_bytes(array: &ArrayRef) -> Result<Option<ArrayRef>, ArrowError> {
    match array.data_type() {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            arrow_cast::cast(array, &DataType::LargeBinary).map(Some)
        }
        _ => Ok(None),
    }
}

/// Whatever it is as texts; what is nested as Arrow writes it.
fn as_texts(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let array = in_utc(&row_by_row(array)?)?;
    if is_text(array.data_type()) || matches!(array.data_type(), DataType::Dictionary(..)) {
        return cast(&array, &DataType::LargeUtf8);
    }
    let (options, nulls) = (FormatOptions::default(), array.logical_nulls());
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options)?;
    let text = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| told(&array, &formatter, row)).transpose();
    let texts = (0..array.len()).map(text).collect::<Result<LargeStringArray, _>>()?;
    Ok(Arc::new(texts))
}

/// A value of an array as Arrow writes it. Of a length of time that is too long to be told it writes `<invalid>`, whichever it is.
pub(crate) fn told(array: &ArrayRef, formatter: &ArrayFormatter<'_>, row: usize) -> Result<String, ArrowError> {
    let text = formatter.value(row).try_to_string()?;
    if matches!(value_type(array.data_type()), DataType::Duration(_)) && text == "<invalid>" {
        return Err(ArrowError::CastError("a length of time is too long to be told".into()));
    }
    Ok(text)
}

/// What the values of a column are, also where they are in a dictionary or in runs.
pub(crate) fn value_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, value) => value_type(value),
        DataType::RunEndEncoded(_, values) => value_type(values.data_type()),
        plain => plain,
    }
}

/// Times of a named zone as the same times of UTC, wherever they are: what the names mean changes from year to year, and is in no file.
pub(crate) fn in_utc(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let data_type = type_in_utc(array.data_type());
    if data_type == *array.data_type() { Ok(array.clone()) } else { Ok(make_array(data_in_utc(&array.to_data(), data_type)?)) }
}

fn type_in_utc(data_type: &DataType) -> DataType {
    let field = |field: &FieldRef| Arc::new(field.as_ref().clone().with_data_type(type_in_utc(field.data_type())));
    match data_type {
        DataType::Timestamp(unit, Some(zone)) if !zone.starts_with(['+', '-']) => DataType::Timestamp(*unit, Some("+00:00".into())),
        DataType::Dictionary(key, value) => DataType::Dictionary(key.clone(), Box::new(type_in_utc(value))),
        DataType::List(item) => DataType::List(field(item)),
        DataType::LargeList(item) => DataType::LargeList(field(item)),
        DataType::ListView(item) => DataType::ListView(field(item)),
        DataType::LargeListView(item) => DataType::LargeListView(field(item)),
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(field(item), *n),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(field).collect()),
        DataType::Map(entries, sorted) => DataType::Map(field(entries), *sorted),
        DataType::RunEndEncoded(ends, values) => DataType::RunEndEncoded(ends.clone(), field(values)),
        other => other.clone(),
    }
}

/// The same numbers with other types said of them.
fn data_in_utc(data: &ArrayData, data_type: DataType) -> Result<ArrayData, ArrowError> {
    let children = data.child_data().iter().map(|child| data_in_utc(child, type_in_utc(child.data_type()))).collect::<Result<_, _>>()?;
    data.clone().into_builder().data_type(data_type).child_data(children).build()
}

fn encode_states(array: &ArrayRef, variable: usize, builder: &mut ChunkBuilder<'_>, faults: &mut Faults) {
    match array.data_type() {
        DataType::Dictionary(_, _) => encode_dictionary(array, variable, builder, faults),
        DataType::Utf8 => push_states(array.as_string::<i32>(), variable, builder, faults),
        DataType::LargeUtf8 => push_states(array.as_string::<i64>(), variable, builder, faults),
        DataType::LargeBinary => push_states(array.as_binary::<i64>(), variable, builder, faults),
        DataType::Boolean => {
            let word = |b: bool| if b { b"true".as_slice() } else { b"false".as_slice() };
            push_all(array.as_boolean().iter().map(|b| b.map(word)), variable, builder, faults);
        }
        DataType::Int64 => {
            let numbers = array.as_primitive::<arrow_array::types::Int64Type>();
            push_texts(numbers.iter().map(|x| x.map(|x| x as u64)), |bits| (bits as i64).to_string(), variable, builder, faults);
        }
        _ => {
            let numbers = array.as_primitive::<Float64Type>();
            let texts = numbers.iter().map(|x| x.filter(|x| !x.is_nan()).map(f64::to_bits));
            push_texts(texts, |bits| number_text(f64::from_bits(bits)), variable, builder, faults);
        }
    }
}

fn push_states<T: ByteArrayType>(texts: &GenericByteArray<T>, variable: usize, builder: &mut ChunkBuilder<'_>, faults: &mut Faults) {
    let (ends, bytes, n_rows) = (texts.value_offsets(), texts.value_data(), texts.len());
    let text = |row: usize| &bytes[ends[row].as_usize()..ends[row + 1].as_usize()];
    match texts.nulls() {
        None => builder.push_texts(variable, n_rows, |row| Some(text(row)), faults),
        Some(nulls) => builder.push_texts(variable, n_rows, |row| nulls.is_valid(row).then(|| text(row)), faults),
    }
}

fn push_all<'t>(texts: impl Iterator<Item = Option<&'t [u8]>>, variable: usize, builder: &mut ChunkBuilder<'_>, faults: &mut Faults) {
    for (row, text) in texts.enumerate() {
        builder.push_cell(variable, text, row, faults);
    }
}

/// Numbers as states: each distinct one is written out once.
fn push_texts(
    numbers: impl Iterator<Item = Option<u64>>,
    text: impl Fn(u64) -> String,
    variable: usize,
    builder: &mut ChunkBuilder<'_>,
    faults: &mut Faults,
) {
    let mut code_of = hashbrown::HashMap::new();
    for (row, bits) in numbers.enumerate() {
        let code = match bits {
            None => Ok(Dictionary::MISSING),
            Some(bits) => code_of.entry(bits).or_insert_with(|| builder.state_code(variable, text(bits).as_bytes())).clone(),
        };
        builder.push_state(variable, code, row, faults);
    }
}

fn encode_dictionary(array: &ArrayRef, variable: usize, builder: &mut ChunkBuilder<'_>, faults: &mut Faults) {
    let dictionary = array.as_dictionary::<Int32Type>();
    let values = dictionary.values().as_string::<i32>();
    // Only values that occur become states: a slice of a large table may carry the whole table's dictionary.
    let keys = dictionary.keys();
    let mut first_row = vec![u32::MAX; values.len()];
    if keys.null_count() == 0 {
        for (row, key) in keys.values().iter().enumerate().rev() {
            first_row[*key as usize] = row as u32;
        }
    } else {
        for (row, key) in keys.iter().enumerate().rev().filter_map(|(row, key)| Some((row, key?))) {
            first_row[key as usize] = row as u32;
        }
    }
    let mut by_row: Vec<usize> = (0..values.len()).filter(|v| first_row[*v] != u32::MAX).collect();
    by_row.sort_by_key(|v| first_row[*v]);
    let mut codes = vec![Ok(Dictionary::MISSING); values.len()];
    for value in by_row {
        if values.is_valid(value) {
            codes[value] = builder.state_code(variable, values.value(value).as_bytes());
        }
    }
    // Codes of one byte, the usual case, are looked up without a branch.
    let narrow = codes.iter().map(|code| match code {
        Ok(Dictionary::UNKNOWN) | Err(_) => None,
        Ok(code) => Some(*code as u8),
    });
    let fits = keys.null_count() == 0 && builder.n_states(variable) <= usize::from(u8::MAX);
    if let (Some(narrow), true) = (narrow.collect::<Option<Vec<u8>>>(), fits) {
        let column = keys.values().iter().map(|key| narrow[*key as usize]).collect();
        builder.set_column(variable, EncodedColumn::U8(column));
        return;
    }
    for (row, key) in keys.iter().enumerate() {
        let code = key.map_or(Ok(Dictionary::MISSING), |key| codes[key as usize].clone());
        builder.push_state(variable, code, row, faults);
    }
}

fn encode_numbers(
    array: &ArrayRef,
    variable: usize,
    builder: &mut ChunkBuilder<'_>,
    faults: &mut Faults,
) -> Result<Option<EncodedColumn>, arrow_schema::ArrowError> {
    let array = &row_by_row(array)?;
    let reads_days = builder.plan().variables[variable].kind.reads_days();
    let array = match array.data_type() {
        DataType::Float64 => array.clone(),
        // What may hold numbers and what holds none, cell by cell.
        kind if is_text(kind) || matches!(kind, DataType::Dictionary(..) | DataType::Union(..)) || is_date(kind) && !reads_days => {
            push_all(as_texts(array)?.as_string::<i64>().iter().map(|t| t.map(str::as_bytes)), variable, builder, faults);
            return Ok(None);
        }
        // Days since the start of 1970, as dates in texts; a length of time is in seconds, and so is a time of day.
        DataType::Date32 => cast(&cast(array, &DataType::Int32)?, &DataType::Float64)?,
        DataType::Date64 => divided(array, 1e3 * 86_400.0)?,
        DataType::Timestamp(unit, _) => divided(array, per_second(*unit) * 86_400.0)?,
        DataType::Duration(unit) | DataType::Time64(unit) => divided(array, per_second(*unit))?,
        DataType::Time32(unit) => divided(&cast(array, &DataType::Int32)?, per_second(*unit))?,
        DataType::Boolean => cast(&cast(array, &DataType::Int32)?, &DataType::Float64)?,
        _ => cast(array, &DataType::Float64)?,
    };
    let numbers = array.as_primitive::<Float64Type>();
    let missing = builder.plan().variables[variable].kind.missing_numbers();
    if numbers.null_count() == 0 && missing.is_empty() && all_finite(numbers.values()) {
        return Ok(Some(EncodedColumn::Borrowed(numbers.values().clone())));
    }
    for (row, x) in numbers.iter().enumerate() {
        if let Some(x) = x.filter(|x| x.is_infinite()) {
            faults.push(row, Some(variable), RowFault::NotFinite(x.to_string()));
        }
    }
    let number = |x: Option<f64>| x.filter(|x| !missing.contains(x)).unwrap_or(f64::NAN);
    Ok(Some(EncodedColumn::Numeric(numbers.iter().map(number).collect())))
}

/// Whether no number is infinite or NaN.
fn all_finite(numbers: &[f64]) -> bool {
    struct AllFinite<'a>(&'a [f64]);
    impl pulp::WithSimd for AllFinite<'_> {
        type Output = bool;

        /// x − x is zero for finite numbers. Or-ing bits lets the compiler take several at a time.
        #[expect(clippy::eq_op, reason = "infinity − infinity is not zero")]
        #[inline(always)]
        fn with_simd<V: pulp::Simd>(self, _: V) -> bool {
            self.0.iter().fold(0, |bits, x| bits | (x - x).to_bits()) == 0
        }
    }
    pulp::Arch::new().dispatch(AllFinite(numbers))
}

fn divided(array: &ArrayRef, by: f64) -> Result<ArrayRef, arrow_schema::ArrowError> {
    let whole = cast(array, &DataType::Int64)?;
    let numbers = cast(&whole, &DataType::Float64)?;
    Ok(std::sync::Arc::new(numbers.as_primitive::<Float64Type>().unary::<_, Float64Type>(|x| x / by)))
}

fn per_second(unit: TimeUnit) -> f64 {
    match unit {
        TimeUnit::Second => 1.0,
        TimeUnit::Millisecond => 1e3,
        TimeUnit::Microsecond => 1e6,
        TimeUnit::Nanosecond => 1e9,
    }
}

/// A number as a state's name: whole ones without a point.
pub(crate) fn number_text(x: f64) -> String {
    if x.fract() == 0.0 && x.abs() < 9e15 { format!("{}", x as i64) } else { format!("{x}") }
}
