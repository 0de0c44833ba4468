//! Expectation–maximisation: the one driver of every learner whose data are not complete.
//!
//! A step takes a model to the next: the E-step gives what the hidden part of the data is expected to be under the model, the
//! M-step the model that is best for data completed so. The objective, the log likelihood or the log posterior, never falls
//! (Dempster, Laird & Rubin 1977; Neal & Hinton 1998 for steps that choose the most probable completion). What a step is, the
//! learner knows; when to stop is known here.

/// When to stop climbing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Climb {
    /// Steps at most; fewer than the objective asks for is early stopping.
    pub most_steps: usize,
    /// A rise of the objective up to this, per row, is none.
    pub least_rise: f64,
}

impl Default for Climb {
    fn default() -> Self {
        Self { most_steps: 100, least_rise: 1e-6 }
    }
}

/// What a step gives.
#[derive(Clone, Debug)]
pub struct Step<M> {
    /// The objective of the model the step was made from.
    pub objective: f64,
    /// The next model.
    pub next: M,
}

/// Where the climb ended.
#[derive(Clone, Debug)]
pub struct Climbed<M> {
    /// The last model.
    pub model: M,
    /// The objective of the first model and after each step but the last, whose objective nobody has asked for.
    pub objectives: Vec<f64>,
    /// Whether the objective had stopped rising.
    pub converged: bool,
}

impl Climb {
    /// Steps from `start` until the objective rises no more, or the steps are used up.
    ///
    /// `n_rows` is the weight of the rows whose likelihood the objective is.
    ///
    /// # Errors
    /// The first error of a step.
    pub fn run<M, E>(&self, start: M, n_rows: f64, mut step: impl FnMut(usize, &M) -> Result<Step<M>, E>) -> Result<Climbed<M>, E> {
        let mut climbed = Climbed { model: start, objectives: Vec::new(), converged: false };
        for nth in 0..self.most_steps {
            let Step { objective, next } = step(nth, &climbed.model)?;
            let rise = climbed.objectives.last().map_or(f64::INFINITY, |before| objective - before);
            climbed.objectives.push(objective);
            climbed.model = next;
            if rise <= self.least_rise * n_rows {
                climbed.converged = true;
                break;
            }
        }
        Ok(climbed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rao's linkage data, the example of Dempster, Laird & Rubin 1977: 125, 18, 20 and 34 animals with probabilities
    /// 1/2 + p/4, (1 − p)/4, (1 − p)/4 and p/4. The first count is the sum of two that were not told apart.
    #[test]
    fn the_linkage_example_climbs_to_its_maximum() {
        let objective = |p: f64| 125.0 * (0.5 + p / 4.0).ln() + 38.0 * ((1.0 - p) / 4.0).ln() + 34.0 * (p / 4.0).ln();
        let step = |p: &f64| {
            let hidden = 125.0 * (p / 4.0) / (0.5 + p / 4.0);
            Step { objective: objective(*p), next: (hidden + 34.0) / (hidden + 38.0 + 34.0) }
        };
        let climb = Climb { most_steps: 100, least_rise: 1e-16 };
        let climbed = climb.run(0.5, 197.0, |_, p| Ok::<_, ()>(step(p))).unwrap();
        assert!(climbed.converged && climbed.objectives.windows(2).all(|pair| pair[0] <= pair[1]));
        // The positive root of 197 p² − 15 p − 68 = 0.
        let best = (15.0 + f64::from(15 * 15 + 4 * 197 * 68).sqrt()) / (2.0 * 197.0);
        assert!((climbed.model - best).abs() < 1e-7, "{} for {best}", climbed.model);
        // 59/97 after one step; their table goes on with 0.62432.
        let after = |n| Climb { most_steps: n, least_rise: 0.0 }.run(0.5, 197.0, |_, p| Ok::<_, ()>(step(p))).unwrap();
        assert!((after(1).model - 59.0 / 97.0).abs() < 1e-15 && (after(2).model - 0.624_32).abs() < 5e-6);
        assert!(!after(2).converged && after(2).objectives.len() == 2);
    }

    #[test]
    fn an_error_ends_the_climb() {
        let failing = |nth, _: &u8| if nth == 2 { Err("stop") } else { Ok(Step { objective: nth as f64, next: 0 }) };
        assert_eq!(Climb::default().run(0, 1.0, failing).err(), Some("stop"));
    }
}
