//! Numbers cut into bins before anything is counted: a network's variables have states.

use std::collections::BTreeMap;

use belief::{Kind, Observations, Role, Schema};
use data::Table;
use learn::{Discretisation, ValueSample};

use crate::remarks::list;
use crate::{Error, Recipe, widening};

/// Where the numbers of a table are cut, and how that was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct CutPoints {
    /// By the names of columns.
    pub of_column: BTreeMap<String, Vec<f64>>,
    /// How they were made; `None` where there are no numbers.
    pub how: Option<Discretisation>,
    /// What the user should know.
    pub remarks: Vec<String>,
}

/// Bins of a number where no class says how many there should be.
const BINS_WITHOUT_CLASSES: usize = 5;

impl CutPoints {
    /// Cuts the numbers among the columns that are wanted; the way is chosen where none is given: by the classes of the target if there is one,
    /// else into bins of equally many rows. Also gives the table as it is after all rows were looked at.
    pub fn find(table: Table, how: Option<Discretisation>, is_wanted: impl Fn(&str) -> bool) -> Result<(Table, Self), Error> {
        widening(table, |table| {
            let schema = table.schema();
            let is_number = |place: &usize| {
                let variable = &schema.variables()[*place];
                variable.role == Role::Input && variable.kind == Kind::Numeric && is_wanted(&variable.name)
            };
            let places: Vec<usize> = (0..schema.variables().len()).filter(is_number).collect();
            if places.is_empty() {
                return Ok(Self::default());
            }
            let classes = schema.target().filter(|target| schema.states(*target).is_some()).map(belief::VarId::index);
            let how = match (how, classes) {
                (Some(Discretisation::FayyadIrani), None) => {
                    return Err(Error::unfit(
                        "bins:mdl cuts numbers so that they tell classes apart, and there is no target whose states are classes",
                        "name one with --target, or cut otherwise, as in --numeric bins:frequency:5",
                    ));
                }
                (Some(how), _) => how,
                (None, Some(_)) => Discretisation::FayyadIrani,
                (None, None) => Discretisation::EqualFrequency { bins: BINS_WITHOUT_CLASSES },
            };
            let sample = table.fold(|n_states: &[usize]| match classes {
                Some(target) => ValueSample::empty(&places, target, n_states[target]),
                None => ValueSample::without_classes(&places),
            })?;
            Ok(Self::of(schema, &sample.statistic, &places, how))
        })
    }

    fn of(schema: &Schema, sample: &ValueSample, places: &[usize], how: Discretisation) -> Self {
        let name = |place: usize| schema.variables()[place].name.clone();
        let cuts = places.iter().map(|place| (name(*place), how.cuts(sample, *place).unwrap_or_default()));
        let of_column: BTreeMap<String, Vec<f64>> = cuts.collect();
        let names: Vec<String> = places.iter().map(|place| name(*place)).collect();
        let are = if names.len() == 1 { "is" } else { "are" };
        let mut remarks = vec![format!("{} {are} cut into bins: {how}", list(&names))];
        if !sample.is_whole() {
            remarks.push(format!("the cut points come from a sample of {} of the {} rows", sample.capacity(), sample.n_observed()));
        }
        let whole: Vec<&String> = of_column.iter().filter(|(_, cuts)| cuts.is_empty()).map(|(name, _)| name).collect();
        if !whole.is_empty() {
            let have = if whole.len() == 1 { "has one bin only and says" } else { "have one bin only and say" };
            remarks.push(format!("{} {have} nothing, for no cut does", list(&whole)));
        }
        Self { of_column, how: Some(how), remarks }
    }

    /// What a model keeps of them.
    pub fn write(&self, recipe: &mut Recipe) {
        recipe.discretisation = self.how.as_ref().map(ToString::to_string);
        recipe.made_from_labels = matches!(self.how, Some(Discretisation::FayyadIrani));
        recipe.made.cuts.extend(self.of_column.clone());
    }
}
