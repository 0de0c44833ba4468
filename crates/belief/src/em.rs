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
    /// A change of the largest parameter up to this is none; a climb ends when neither rises nor changes.
    pub least_change: f64,
}

impl Default for Climb {
    fn default() -> Self {
        Self { most_steps: 100, least_rise: 1e-6, least_change: f64::INFINITY }
    }
}

/// What a step gives.
#[derive(Clone, Debug)]
pub struct Step<M> {
    /// The objective of the model the step was made from.
    pub objective: f64,
    /// How much the parameter that changed most did; nothing where only the objective is looked at.
    pub change: f64,
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
        while !climbed.converged && climbed.objectives.len() < self.most_steps {
            let made = step(climbed.objectives.len(), &climbed.model)?;
            climbed.model = self.after(made, n_rows, &mut climbed.objectives, &mut climbed.converged);
        }
        Ok(climbed)
    }

    /// The same in longer steps: after every two, `extrapolate` says where three models on the way point to (SQUAREM, Varadhan & Roland 2008).
    /// If the objective there is below what it was already, the plain step counts, so that it never falls.
    ///
    /// # Errors
    /// The first error of a step.
    pub fn run_accelerated<M, E>(
        &self,
        start: M,
        n_rows: f64,
        mut step: impl FnMut(usize, &M) -> Result<Step<M>, E>,
        extrapolate: impl Fn(&M, &M, &M) -> Option<M>,
    ) -> Result<Climbed<M>, E> {
        let mut climbed = Climbed { model: start, objectives: Vec::new(), converged: false };
        let mut n_steps = 0;
        while !climbed.converged && n_steps < self.most_steps {
            let made = step(n_steps, &climbed.model)?;
            n_steps += 1;
            let first = self.after(made, n_rows, &mut climbed.objectives, &mut climbed.converged);
            if climbed.converged || n_steps == self.most_steps {
                climbed.model = first;
                break;
            }
            let made = step(n_steps, &first)?;
            n_steps += 1;
            let second = self.after(made, n_rows, &mut climbed.objectives, &mut climbed.converged);
            let farther = if climbed.converged { None } else { extrapolate(&climbed.model, &first, &second) };
            climbed.model = second;
            let Some(farther) = farther.filter(|_| n_steps < self.most_steps) else { continue };
            let made = step(n_steps, &farther);
            n_steps += 1;
            let before = climbed.objectives.last().copied().unwrap_or(f64::NEG_INFINITY);
            // Where the objective cannot be had, the plain step counts as well.
            if let Ok(made) = made
                && made.objective >= before
            {
                climbed.objectives.push(made.objective);
                climbed.model = made.next;
            }
        }
        Ok(climbed)
    }

    /// Notes a step, and whether it was the last.
    fn after<M>(&self, made: Step<M>, n_rows: f64, objectives: &mut Vec<f64>, converged: &mut bool) -> M {
        let rise = objectives.last().map_or(f64::INFINITY, |before| made.objective - before);
        objectives.push(made.objective);
        *converged = rise <= self.least_rise * n_rows && made.change <= self.least_change;
        made.next
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
            Step { objective: objective(*p), change: 0.0, next: (hidden + 34.0) / (hidden + 38.0 + 34.0) }
        };
        let climb = Climb { most_steps: 100, least_rise: 1e-16, ..Climb::default() };
        let climbed = climb.run(0.5, 197.0, |_, p| Ok::<_, ()>(step(p))).unwrap();
        assert!(climbed.converged && climbed.objectives.windows(2).all(|pair| pair[0] <= pair[1]));
        // The positive root of 197 p² − 15 p − 68 = 0.
        let best = (15.0 + f64::from(15 * 15 + 4 * 197 * 68).sqrt()) / (2.0 * 197.0);
        assert!((climbed.model - best).abs() < 1e-7, "{} for {best}", climbed.model);
        // 59/97 after one step; their table goes on with 0.62432.
        let after = |n| Climb { most_steps: n, least_rise: 0.0, ..Climb::default() }.run(0.5, 197.0, |_, p| Ok::<_, ()>(step(p))).unwrap();
        assert!((after(1).model - 59.0 / 97.0).abs() < 1e-15 && (after(2).model - 0.624_32).abs() < 5e-6);
        assert!(!after(2).converged && after(2).objectives.len() == 2);
    }

    #[test]
    fn an_error_ends_the_climb() {
        let failing = |nth, _: &u8| if nth == 2 { Err("stop") } else { Ok(Step { objective: nth as f64, change: 0.0, next: 0 }) };
        assert_eq!(Climb::default().run(0, 1.0, failing).err(), Some("stop"));
    }
}
