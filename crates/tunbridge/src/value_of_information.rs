//! Which attribute to look at next: what it is worth, on average, to know it before one acts.
//!
//! With P(class | what is known) and P(x | class), the attributes being independent given the class, P(x, class | what is known) is
//! their product, and [`LossTable::value_of_information`] does the rest. Numbers are taken on a grid that is fine where a class is
//! narrow and holds all but a trifle of every density.

use belief::{ClassMoments, Kind, LossTable, Moments, Role, VarId, normalise_ln};
use learn::{AttributeStatistic, EventModel, NaiveBayes, NaiveBayesStatistic, NumericModel};

use crate::{Case, Error, NaiveBayesModel};

/// What it is worth to know an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct Worth {
    /// The attribute.
    pub variable: String,
    /// By how much the least expected loss falls on average.
    pub value: f64,
}

/// Points of the grid about the mean of each class, and how many standard deviations it reaches to either side.
const POINTS: usize = 301;
const REACH: f64 = 8.0;

impl NaiveBayesModel {
    /// What each attribute that the case does not tell is worth, the greatest first. Texts cannot be asked for. The probabilities are
    /// those before any calibration.
    ///
    /// # Errors
    /// When the model gives no probabilities of attributes, the case is impossible, or the losses are of other classes.
    pub fn value_of_information(&self, case: &Case, losses: &LossTable) -> Result<Vec<Worth>, Error> {
        if self.prior().event == EventModel::NearestCentroid {
            return Err(Error::unfit(
                "the nearest centroid has distances, and no probabilities that something would be found",
                "learn with --model naive-bayes to ask what is worth looking at",
            ));
        }
        let posterior = self.mixture().map_or(self.posterior(), |mixture| mixture.model());
        let class_of: Vec<usize> = match self.mixture() {
            None => (0..self.classes().len()).collect(),
            Some(mixture) => (0..self.classes().len()).flat_map(|class| mixture.components().of_class(class).map(move |_| class)).collect(),
        };
        let mut ln = Vec::new();
        case.lend(|row| posterior.ln_joint(row, &mut ln))?;
        if normalise_ln(&mut ln) == f64::NEG_INFINITY {
            return Err(Error::unfit("this evidence has probability zero under the model", "change it, or learn with --estimate laplace"));
        }
        let known = case.lend(|row| posterior.contributions(row, 0))?;
        let mut worth = Vec::new();
        for (place, variable) in self.schema().variables().iter().enumerate() {
            let id = VarId::new(place);
            let is_open = variable.role == Role::Input && known[place].is_none() && !matches!(variable.kind, Kind::Text(_));
            let Some(outcomes) = is_open.then(|| self.outcomes(posterior, case, id)).flatten() else { continue };
            let joint: Vec<Vec<f64>> = outcomes
                .iter()
                .map(|given| {
                    let mut joint = vec![0.0; self.classes().len()];
                    given.iter().zip(&ln).zip(&class_of).for_each(|((p, ln), class)| joint[*class] += p * ln.exp());
                    joint
                })
                .collect();
            worth.push(Worth { variable: variable.name.clone(), value: losses.value_of_information(&joint)? });
        }
        worth.sort_by(|a, b| b.value.total_cmp(&a.value));
        Ok(worth)
    }

    /// P(outcome | class) of every outcome of an attribute and every class or component; `None` if the model does not use it.
    fn outcomes(&self, posterior: &NaiveBayes, case: &Case, id: VarId) -> Option<Vec<Vec<f64>>> {
        let statistic = self.mixture().map_or(self.statistic(), |mixture| mixture.statistic());
        let mut outcomes: Vec<Vec<f64>> = match statistic.attributes().get(id.index())? {
            AttributeStatistic::Counts(counts) | AttributeStatistic::Binned { counts, .. } => (0..counts.n_states())
                .filter_map(|state| posterior.ln_state(id, state))
                .map(|ln| ln.iter().map(|ln| ln.exp()).collect())
                .collect(),
            AttributeStatistic::Moments(moments) => {
                let grid = self.grid(statistic, moments);
                let width = |nth: usize| (grid[(nth + 1).min(grid.len() - 1)] - grid[nth.saturating_sub(1)]) / 2.0;
                let density = |x: f64| case.with_number(id, x).lend(|row| posterior.contributions(row, 0)).ok()?.swap_remove(id.index());
                let at = |nth: usize| Some(density(grid[nth])?.iter().map(|ln| ln.exp() * width(nth)).collect());
                (0..grid.len()).filter_map(at).collect()
            }
            _ => return None,
        };
        // Sums of one: a grid's are nearly so, and a Bernoulli model asks of every state by itself.
        let n = outcomes.first()?.len();
        let totals: Vec<f64> = (0..n).map(|class| outcomes.iter().map(|p| p[class]).sum()).collect();
        outcomes.iter_mut().for_each(|p| p.iter_mut().zip(&totals).for_each(|(p, total)| *p = if *total > 0.0 { *p / total } else { 0.0 }));
        Some(outcomes)
    }

    /// Numbers about the mean of every class, by its own spread, with what smoothing adds to it, and by that of all.
    fn grid(&self, statistic: &NaiveBayesStatistic, moments: &ClassMoments) -> Vec<f64> {
        let variance = |of: &Moments| of.variance().unwrap_or(0.0);
        let largest = statistic.attributes().iter().map(|attribute| match attribute {
            AttributeStatistic::Moments(moments) => variance(&moments.pooled()),
            _ => 0.0,
        });
        let added = match self.prior().numeric {
            NumericModel::Gaussian { variance_smoothing } => variance_smoothing * largest.fold(0.0, f64::max),
            NumericModel::Student => 0.0,
        };
        let pooled = variance(&moments.pooled()).sqrt();
        let mut grid: Vec<f64> = Vec::new();
        for of_class in moments.of_class().iter().filter(|of_class| of_class.weight > 0.0) {
            for sd in [(variance(of_class) + added).sqrt(), pooled] {
                let at = |nth: usize| of_class.mean + REACH * sd * (2.0 * nth as f64 / (POINTS - 1) as f64 - 1.0);
                grid.extend((0..POINTS).map(at));
            }
        }
        grid.retain(|x| x.is_finite());
        grid.sort_by(f64::total_cmp);
        grid.dedup();
        grid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EvaluationPlan, LearnOptions, learn};
    use std::path::Path;

    fn model(file: &str, target: &str) -> NaiveBayesModel {
        let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
        options.read.target = Some(target.into());
        learn(&[Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file)], &options).unwrap().model
    }

    fn answer(model: &NaiveBayesModel, pairs: &[&str]) -> Vec<f64> {
        let pairs: Vec<String> = pairs.iter().map(|pair| pair.to_string()).collect();
        Case::parse(model.schema(), &pairs).unwrap().lend(|row| model.answer(row)).unwrap().probability
    }

    /// Every answer looked up, and what is lost by it weighed by how probable the answer is.
    #[test]
    fn the_worth_is_that_of_asking_everybody() {
        let model = model("examples/play_tennis.csv", "PlayTennis");
        let actions = vec![("go".into(), vec![5.0, 0.0]), ("stay".into(), vec![0.0, 2.0]), ("call".into(), vec![0.9, 0.8])];
        let losses = LossTable::new(model.classes().to_vec(), actions).unwrap();
        let known = "Outlook=Sunny";
        let case = Case::parse(model.schema(), &[known.into()]).unwrap();
        let found = model.value_of_information(&case, &losses).unwrap();
        assert_eq!(found.len(), 3);
        let before = answer(&model, &[known]);
        for Worth { variable, value } in found {
            let id = model.schema().find(&variable).unwrap();
            let mut after = 0.0;
            for (state, name) in model.schema().states(id).unwrap().names().iter().enumerate() {
                let p: f64 = model.of_state(id, state).unwrap().iter().zip(&before).map(|(given, class)| given * class).sum();
                after += p * losses.decide(&answer(&model, &[known, &format!("{variable}={name}")])).unwrap().least();
            }
            let expected = losses.decide(&before).unwrap().least() - after;
            assert!((value - expected).abs() < 1e-12, "{variable}: {value} for {expected}");
        }
    }

    /// A number on a finer grid, by hand.
    #[test]
    fn numbers_are_worth_what_their_densities_say() {
        let model = model("testdata/iris/iris_train.csv", "species");
        let losses = LossTable::zero_one(model.classes().to_vec()).unwrap();
        let known = "petal_length=4.8";
        let case = Case::parse(model.schema(), &[known.into()]).unwrap();
        let found = model.value_of_information(&case, &losses).unwrap();
        let before = answer(&model, &[known]);
        let id = model.schema().find("petal_width").unwrap();
        let AttributeStatistic::Moments(moments) = &model.statistic().attributes()[id.index()] else { panic!("numbers") };
        let step = 1e-3;
        let after: f64 = (-2000..6000)
            .map(|nth| {
                let x = f64::from(nth) * step;
                let density = |class: usize| {
                    let (mean, variance) = (moments.of_class()[class].mean, moments.of_class()[class].variance().unwrap());
                    (-(x - mean).powi(2) / (2.0 * variance)).exp() / (std::f64::consts::TAU * variance).sqrt()
                };
                let joint: Vec<f64> = before.iter().enumerate().map(|(class, p)| p * density(class) * step).collect();
                losses.decide(&joint).unwrap().least()
            })
            .sum();
        let expected = losses.decide(&before).unwrap().least() - after;
        let value = found.iter().find(|worth| worth.variable == "petal_width").unwrap().value;
        assert!((value - expected).abs() < 2e-3, "{value} for {expected}");
    }

    /// A class that is narrow beside another is not lost between the points of the grid: it is told almost surely.
    #[test]
    fn a_narrow_class_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        for narrow in [0.05, 0.001] {
            let spread = |row: usize| ((row as f64 + 0.5) / 100.0 - 0.5) * 3.4;
            let of_row = |row: usize| format!("{},p,a\n{},p,b\n", 0.3 + narrow * spread(row), 1000.0 * spread(row));
            std::fs::write(&path, format!("x,z,class\n{}", (0..100).map(of_row).collect::<String>())).unwrap();
            let mut options = LearnOptions { evaluation: EvaluationPlan::None, ..LearnOptions::default() };
            options.read.target = Some("class".into());
            options.read.types = vec![("z".into(), data::ColumnType::Category)];
            let model = learn(&[&path], &options).unwrap().model;
            let losses = LossTable::zero_one(model.classes().to_vec()).unwrap();
            let case = Case::parse(model.schema(), &["z=p".into()]).unwrap();
            let found = model.value_of_information(&case, &losses).unwrap();
            assert!(found[0].variable == "x" && found[0].value > 0.49, "{found:?}");
        }
    }
}
