//! What can be wrong with a density model, its data, or what the two say together.

use crate::expression::ExpressionError;

/// A model that cannot be made, data that do not fit it, or a posterior that does not exist.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DensityError {
    /// The density's text has a fault.
    #[error("the density: {0}")]
    Density(ExpressionError),
    /// A prior's text has a fault.
    #[error("the prior: {0}")]
    Prior(ExpressionError),
    /// A name that an expression cannot have.
    #[error("`{0}` cannot be a name in an expression\n  hint: names begin with a letter and hold letters, digits and `_`")]
    BadName(String),
    /// Names in the density that are neither data nor have a prior.
    #[error("no prior for {}\n  hint: say what you believe, e.g. '{} ~ N(0, 10²)', or '{} ~ U(0, 10)'", quoted(.names), .names[0], .names[0])]
    NoPrior {
        /// The names.
        names: Vec<String>,
    },
    /// Two priors for one parameter.
    #[error("`{0}` has two priors; give one")]
    TwoPriors(String),
    /// A prior for what does not occur.
    #[error("`{name}` has a prior but does not occur in the density or in another prior\n  known: {}", .known.join(", "))]
    UnusedPrior {
        /// The parameter.
        name: String,
        /// Names that occur.
        known: Vec<String>,
    },
    /// A name that is data and a parameter at once.
    #[error("`{0}` is a column of the data and cannot have a prior")]
    PriorForData(String),
    /// No parameter at all.
    #[error("nothing to estimate: no prior was given")]
    NoParameters,
    /// Priors that depend on one another in a circle.
    #[error("the priors of {} depend on one another in a circle", quoted(.0))]
    Circle(Vec<String>),
    /// More parameters than quadrature can do.
    #[error("{n} parameters are too many for quadrature, which does {most} at most; sample them by MCMC")]
    TooManyParameters {
        /// How many there are.
        n: usize,
        /// How many there may be.
        most: usize,
    },
    /// Columns of unlike lengths, or too few of them.
    #[error("the data have {found} {what}, and {expected} were expected")]
    Shape {
        /// What is counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A value in the data that is not a number.
    #[error("row {row}: `{name}` is not a finite number; leave such rows out")]
    NotFinite {
        /// The row, from 1.
        row: usize,
        /// The column.
        name: String,
    },
    /// A value of the response that cannot be.
    #[error("row {row}: {name} = {value} lies outside the range of {name}, which is {low} to {high}{}", if *.discrete { ", whole numbers" } else { "" })]
    OutsideSupport {
        /// The row, from 1.
        row: usize,
        /// The response.
        name: String,
        /// Its value.
        value: f64,
        /// The lower end of its range.
        low: f64,
        /// The upper end.
        high: f64,
        /// Whether it must be a whole number.
        discrete: bool,
    },
    /// Data that no value of the parameters allows.
    #[error(
        "row {row}: {name} = {value} is impossible under every value of the parameters that was tried, e.g. {at}\n  hint: is it outside the density's support, or does a prior forbid the values that would allow it?"
    )]
    ImpossibleRow {
        /// The row, from 1.
        row: usize,
        /// The response.
        name: String,
        /// Its value.
        value: f64,
        /// Values of the parameters.
        at: String,
    },
    /// Rows that are possible each on its own but not together, or a prior that allows nothing.
    #[error("the data are impossible under the prior: no value of the parameters with density above zero was found")]
    Impossible,
    /// A density that is not a number somewhere.
    #[error(
        "{what} is not a number at {at}: {why}\n  hint: say in the expression what holds there, as in if(θ > 0, …, 0), or give the parameter a narrower range"
    )]
    NotANumber {
        /// Which expression.
        what: String,
        /// The values of its names.
        at: String,
        /// The part of it that is at fault.
        why: String,
    },
    /// A density that is infinite somewhere.
    #[error("{what} is infinite at {at}: {why}")]
    Infinite {
        /// Which expression.
        what: String,
        /// The values of its names.
        at: String,
        /// The part of it that is at fault.
        why: String,
    },
    /// A posterior that cannot be normalised.
    #[error(
        "the posterior is improper: its mass does not fall off as `{parameter}` goes to {toward}\n  hint: give `{parameter}` a proper prior, or more data"
    )]
    Improper {
        /// The parameter along which it runs off.
        parameter: String,
        /// Where to.
        toward: f64,
    },
    /// A density or prior whose integral is not one.
    #[error("{what} does not integrate to one over {over}: the integral is {}{}{}", super::target::short(*.integral), if .at.is_empty() { String::new() } else { format!(" at {}", .at) }, .hint)]
    NotNormalised {
        /// Which expression.
        what: String,
        /// The range of integration.
        over: String,
        /// What was found.
        integral: f64,
        /// A bound on the error of that.
        error: f64,
        /// The values of the parameters.
        at: String,
        /// What to do, on a line of its own.
        hint: String,
    },
    /// An integral that could not be found to any use.
    #[error(
        "the quadrature did not settle: the integral is {value:e} with an error of up to {error:e} after {evaluations} evaluations\n  hint: sample by MCMC instead, as with --chains 4"
    )]
    NotSettled {
        /// What was found.
        value: f64,
        /// A bound on its error.
        error: f64,
        /// How often the density was evaluated.
        evaluations: u64,
    },
    /// More evaluations than were allowed.
    #[error(
        "the quadrature needs more than {most} evaluations of the density\n  hint: sample by MCMC instead, as with --chains 4, or allow more"
    )]
    TooCostly {
        /// How many were allowed.
        most: u64,
    },
    /// An option that makes no sense.
    #[error("{0}")]
    Option(String),
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
