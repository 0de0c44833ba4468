//! The hypothesis space H: all conjunctions over some attributes.

use num_bigint::BigUint;

use super::attribute::{Attribute, Values};
use super::big_number::product;
use super::hypothesis::Hypothesis;
use super::span::Span;
use super::value_range::ValueRange;
use super::value_tree::{Branch, ValueTree};
use super::{ConceptError, ExampleColumn, ExampleTable};
use belief::{Kind, Role, Schema};

/// Attributes, and every conjunction of constraints on them.
#[derive(Clone, Debug, PartialEq)]
pub struct HypothesisSpace {
    attributes: Vec<Attribute>,
    /// Which column of the table each attribute is.
    columns: Vec<usize>,
}

impl HypothesisSpace {
    /// The space over these attributes, which are the first columns of a table in their order.
    ///
    /// # Errors
    /// When there are none.
    pub fn new(attributes: Vec<Attribute>) -> Result<Self, ConceptError> {
        if attributes.is_empty() {
            return Err(ConceptError::NoAttributes);
        }
        let columns = (0..attributes.len()).collect();
        Ok(Self { attributes, columns })
    }

    /// The space over the inputs of a schema. Numbers are cut where the table has them, and `tree_of` tells the hierarchy of a column's
    /// states, if it has one.
    ///
    /// # Errors
    /// When no column is an input, one is neither category nor numeric, or a hierarchy is none.
    pub fn of(schema: &Schema, table: &ExampleTable, tree_of: impl Fn(&str) -> Option<Vec<Branch>>) -> Result<Self, ConceptError> {
        let (mut attributes, mut columns) = (Vec::new(), Vec::new());
        for (place, variable) in schema.variables().iter().enumerate().filter(|(_, v)| v.role == Role::Input) {
            let in_column = |e: ConceptError| ConceptError::InColumn { column: variable.name.clone(), fault: Box::new(e) };
            let values = match (&variable.kind, table.columns().get(place)) {
                (Kind::Categorical(states), _) => Values::Tree(match tree_of(&variable.name) {
                    Some(branches) => ValueTree::new(states.names(), branches).map_err(in_column)?,
                    None => ValueTree::flat(states.names()),
                }),
                (Kind::Numeric, Some(ExampleColumn::Numbers(numbers))) => Values::Range(ValueRange::new(numbers.iter().copied())),
                (kind, _) => return Err(in_column(ConceptError::NotAnAttribute { kind: kind.word() })),
            };
            attributes.push(Attribute { name: variable.name.clone(), values });
            columns.push(place);
        }
        if attributes.is_empty() {
            return Err(ConceptError::NoAttributes);
        }
        Ok(Self { attributes, columns })
    }

    /// The attributes, in order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Which column of the table each attribute is.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// ⟨?, …, ?⟩, which every instance satisfies.
    pub fn most_general(&self) -> Hypothesis {
        Hypothesis::Conjunction(self.attributes.iter().map(Attribute::anything).collect())
    }

    /// The attributes on which a conjunction is not `?`. Whether it is more general than another is seen there alone.
    pub(crate) fn narrow(&self, spans: &[Span]) -> Vec<u32> {
        (0..).zip(self.attributes.iter().zip(spans)).filter(|(_, (a, span))| a.anything() != **span).map(|(place, _)| place).collect()
    }

    /// The least general hypothesis that covers an instance besides what it covered. There is always exactly one.
    #[must_use]
    pub fn generalise(&self, hypothesis: &Hypothesis, instance: &[u32]) -> Hypothesis {
        let places = self.attributes.iter().zip(instance);
        Hypothesis::Conjunction(match hypothesis {
            Hypothesis::Nothing => places.map(|(attribute, place)| attribute.only(*place)).collect(),
            Hypothesis::Conjunction(spans) => places.zip(spans).map(|((attribute, place), span)| attribute.join(*span, *place)).collect(),
        })
    }

    /// The most general hypotheses below `general` that do not cover an instance and are at least as general as `specific`.
    pub fn specialise(&self, general: &Hypothesis, instance: &[u32], specific: &Hypothesis) -> Vec<Hypothesis> {
        let Some(spans) = general.spans() else { return Vec::new() };
        let narrowed = |(place, narrower): (usize, Span)| {
            let mut spans: Box<[Span]> = spans.into();
            spans[place] = narrower;
            Hypothesis::Conjunction(spans)
        };
        let mut found: Vec<Hypothesis> = self.specialisations(spans, instance, specific).map(narrowed).collect();
        if found.is_empty() && *specific == Hypothesis::Nothing {
            // No constraint excludes the instance alone, but covering nothing does.
            found.push(Hypothesis::Nothing);
        }
        found
    }

    /// The attributes and the constraints on them by which a conjunction is specialised.
    pub(crate) fn specialisations(&self, spans: &[Span], instance: &[u32], specific: &Hypothesis) -> impl Iterator<Item = (usize, Span)> {
        self.attributes.iter().zip(spans).enumerate().flat_map(move |(place, (attribute, span))| {
            let lower = specific.spans().map(|spans| spans[place]);
            attribute.specialisations(*span, instance[place], lower).into_iter().map(move |narrower| (place, narrower))
        })
    }

    /// How many ways there are to write a hypothesis: ∅, `?` or any other constraint for each attribute.
    pub fn n_syntactic(&self) -> BigUint {
        product(self.attributes.iter().map(|attribute| attribute.n_spans() + 1))
    }

    /// How many hypotheses differ in what they cover: all that hold a ∅ cover nothing, and are one.
    pub fn n_semantic(&self) -> BigUint {
        product(self.attributes.iter().map(Attribute::n_spans)) + 1_u32
    }

    /// How many instances there are of known states, and of places of numbers.
    pub fn n_instances(&self) -> BigUint {
        product(self.attributes.iter().map(Attribute::n_values))
    }

    /// Every hypothesis, the one that covers nothing first.
    ///
    /// # Errors
    /// When there are more than `most`.
    pub fn enumerate(&self, most: usize) -> Result<Vec<Hypothesis>, ConceptError> {
        let spans = self.spans_within(most)?;
        let mut found = vec![Hypothesis::Nothing];
        let mut at = vec![0; spans.len()];
        loop {
            found.push(Hypothesis::Conjunction(at.iter().zip(&spans).map(|(at, spans)| spans[*at]).collect()));
            let Some(turn) = (0..at.len()).rev().find(|place| at[*place] + 1 < spans[*place].len()) else { return Ok(found) };
            at[turn] += 1;
            at[turn + 1..].fill(0);
        }
    }

    /// The constraints of each attribute, if there are no more than `most` hypotheses.
    pub(crate) fn spans_within(&self, most: usize) -> Result<Vec<Vec<Span>>, ConceptError> {
        let n = self.n_semantic();
        let too_many = || ConceptError::TooManyHypotheses { n: n.clone(), most };
        if n > BigUint::from(most) {
            return Err(too_many());
        }
        self.attributes.iter().map(|attribute| attribute.spans(most).ok_or_else(too_many)).collect()
    }

    /// A hypothesis as a list of constraints.
    pub fn words(&self, hypothesis: &Hypothesis) -> Vec<String> {
        match hypothesis {
            Hypothesis::Nothing => vec!["∅".into(); self.attributes.len()],
            Hypothesis::Conjunction(spans) => self.attributes.iter().zip(spans).map(|(a, span)| a.constraint(*span)).collect(),
        }
    }

    /// A hypothesis as the book writes it: ⟨Sunny, Warm, ?, Strong, ?, ?⟩.
    pub fn written(&self, hypothesis: &Hypothesis) -> String {
        format!("⟨{}⟩", self.words(hypothesis).join(", "))
    }

    /// An instance as a list of values.
    pub fn values(&self, instance: &[u32]) -> Vec<String> {
        self.attributes.iter().zip(instance).map(|(attribute, place)| attribute.value(*place)).collect()
    }

    /// Where the values of a table's row stand, or the first attribute that the row has no value of.
    ///
    /// # Errors
    /// When a value is missing.
    pub fn instance(&self, table: &ExampleTable, row: usize) -> Result<Vec<u32>, MissingValue> {
        let place = |(at, (attribute, column)): (usize, (&Attribute, &usize))| {
            let found = match (&attribute.values, table.columns().get(*column)) {
                (Values::Tree(tree), Some(ExampleColumn::Codes(codes))) => {
                    Some(codes[row]).filter(|code| *code != ExampleColumn::MISSING).map(|code| tree.place(code as usize))
                }
                (Values::Range(range), Some(ExampleColumn::Numbers(numbers))) => {
                    Some(numbers[row]).filter(|x| !x.is_nan()).map(|x| range.place(x))
                }
                _ => None,
            };
            found.ok_or(MissingValue { attribute: at })
        };
        self.attributes.iter().zip(&self.columns).enumerate().map(place).collect()
    }
}

/// A row has no value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingValue {
    /// The attribute, by its place.
    pub attribute: usize,
}
