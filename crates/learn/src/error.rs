//! What can be wrong with a statistic, a prior or a schema that are to make a model together.

use belief::ShapeMismatch;

/// Why no model, or no answer of a model, could be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// No variable is to be predicted.
    #[error("no column is the target: name the one to predict")]
    NoTarget,
    /// The target's values are not states.
    #[error("the target `{variable}` is {kind}, but naive Bayes predicts categories: read it as a category, or name another target")]
    TargetNotCategorical {
        /// The target.
        variable: String,
        /// The word for its kind.
        kind: &'static str,
    },
    /// The target's values are not labels.
    #[error("the target `{variable}` is {kind}, but several labels a row are learned from a column of labels")]
    TargetNotLabels {
        /// The target.
        variable: String,
        /// The word for its kind.
        kind: &'static str,
    },
    /// No row has a label.
    #[error("no row has a label of `{target}`: there is nothing to learn")]
    NoLabels {
        /// The target.
        target: String,
    },
    /// Labels that cannot be.
    #[error("the labels cannot be used: {what}")]
    NotLabels {
        /// What is wrong.
        what: String,
    },
    /// A label was counted in rows that were not counted.
    #[error("label {label}, counted from 0, was counted in more rows than there are")]
    LabelBeyondRows {
        /// The label.
        label: usize,
    },
    /// Numbers of components that cannot be.
    #[error("every class needs a component, and all together {most} at most: these are {n_components}")]
    NotComponents {
        /// How many there are.
        n_components: usize,
        /// How many there may be.
        most: usize,
    },
    /// There is nothing to tell apart.
    #[error("at least two classes of `{target}` must have rows, but {}", classes_present(.present))]
    TooFewClasses {
        /// The target.
        target: String,
        /// The classes that have rows: none or one.
        present: Vec<String>,
    },
    /// The class prior names classes that do not exist.
    #[error("the class prior names {}, which is no class of `{target}` (known: {})", list(.unknown), list(.known))]
    UnknownClasses {
        /// The target.
        target: String,
        /// What was named.
        unknown: Vec<String>,
        /// What could have been.
        known: Vec<String>,
    },
    /// The class prior leaves classes out.
    #[error("the class prior says nothing of {}: every class of `{target}` needs a probability", list(.missing))]
    ClassesWithoutPrior {
        /// The target.
        target: String,
        /// The classes it leaves out.
        missing: Vec<String>,
    },
    /// The m-estimate's p is given for something that is no categorical attribute.
    #[error("the m-estimate's p is given for `{variable}`, which is not a categorical attribute of this model")]
    UnknownVariable {
        /// What was named.
        variable: String,
    },
    /// Words cannot be estimated so.
    #[error(
        "the words of `{variable}` cannot be estimated by an m-estimate whose p is empirical or given; laplace, dirichlet, ml and m:<m> can"
    )]
    EstimateOfWords {
        /// The column.
        variable: String,
    },
    /// Only multinomial texts go by maximum likelihood.
    #[error("the words of `{variable}` need a prior under this text model; only the multinomial goes by maximum likelihood")]
    WordsWithoutPrior {
        /// The column.
        variable: String,
    },
    /// A text has no place in space.
    #[error("`{variable}` is a text, and the nearest centroid knows no texts")]
    TextInCentroid {
        /// The column.
        variable: String,
    },
    /// How words are repeated within texts was not counted.
    #[error("the words of `{variable}` were not counted by how often a text repeats them, as the Dirichlet-compound needs: learn anew")]
    NoBursts {
        /// The column.
        variable: String,
    },
    /// The Dirichlet-compound counts the lengths of texts by all words.
    #[error("words cannot be chosen for a Dirichlet-compound of `{variable}`: the lengths of its texts are counted with all words")]
    ChosenBursts {
        /// The column.
        variable: String,
    },
    /// One text cannot be taken out of parameters that are sought step by step.
    #[error("a Dirichlet-compound of `{variable}` cannot be judged by leave-one-out: judge it by folds")]
    NoLeaveOneOut {
        /// The column.
        variable: String,
    },
    /// Rows without a class cannot be taken for one by scores that are no probabilities.
    #[error(
        "`{variable}` is scored by a complement, which gives no probability of a text; rows without a class need multinomial or bernoulli"
    )]
    NoProbability {
        /// The column.
        variable: String,
    },
    /// Rows without a class cannot be of any.
    #[error(
        "{n_rows} of the rows without a class cannot be of any: give what was never seen with a class a probability, with laplace for example"
    )]
    ImpossibleRows {
        /// How many.
        n_rows: u64,
    },
    /// The m-estimate's p does not fit the states of its variable.
    #[error("the m-estimate's p for `{variable}` must name its states {}, not {}", list(.known), list(.named))]
    StatesOfP {
        /// The variable.
        variable: String,
        /// Its states.
        known: Vec<String>,
        /// The states that were named.
        named: Vec<String>,
    },
    /// Given probabilities do not sum to one.
    #[error("the probabilities given for {of} sum to {sum}, not to 1")]
    NotADistribution {
        /// Whose.
        of: String,
        /// What they sum to.
        sum: f64,
    },
    /// A number of the prior is out of its range.
    #[error("{what} is {found}, but must be a finite number of at least zero")]
    NotAPriorNumber {
        /// Which number.
        what: &'static str,
        /// Its value.
        found: f64,
    },
    /// Numbers that are not cut into two in a Bernoulli model.
    #[error(
        "a Bernoulli model needs attributes with states, or numbers cut in two at one point; {} {} neither: bin {} or leave {} out",
        list(.variables), if .variables.len() == 1 { "is" } else { "are" }, them(.variables), them(.variables)
    )]
    NumberInBernoulli {
        /// The attributes.
        variables: Vec<String>,
    },
    /// A statistic does not belong to the schema, or holds numbers no data can have.
    #[error("the statistic of `{variable}` cannot be used: {fault}")]
    Unfit {
        /// The variable.
        variable: String,
        /// What is wrong.
        fault: StatisticFault,
    },
    /// Two shapes that should agree do not.
    #[error(transparent)]
    Shape(#[from] ShapeMismatch),
    /// A row was asked about that is not there.
    #[error("row {row} was asked about, counted from 0, but there are {n_rows} rows")]
    NoSuchRow {
        /// The row.
        row: usize,
        /// How many there are.
        n_rows: usize,
    },
    /// A class was asked about that is not there.
    #[error("class {class} was asked about, counted from 0, but there are {n_classes} classes")]
    NoSuchClass {
        /// The class.
        class: usize,
        /// How many there are.
        n_classes: usize,
    },
    /// An estimate that counts of pairs are not made for.
    #[error("averaged one-dependence estimators take the estimates ml, laplace:<l>, dirichlet:<alpha> and m:<m>")]
    EstimateOfPairs,
    /// Attributes that have no states.
    #[error(
        "a network has states, and {} {} none: cut numbers into bins before learning, and leave texts out",
        list(.variables), if .variables.len() == 1 { "has" } else { "have" }
    )]
    NoStates {
        /// The attributes.
        variables: Vec<String>,
    },
    /// An event model that a network cannot say.
    #[error("`{variable}` has no distribution over its states under this event model: learn a categorical model to make a network of")]
    NoDistributionOverStates {
        /// The attribute.
        variable: String,
    },
    /// Probabilities that make no table.
    #[error("the model's probabilities make no table: {fault}")]
    NoTable {
        /// What is wrong.
        fault: net::TableFault,
    },
    /// A number of rows that a network cannot be worth.
    #[error("the equivalent sample size is {found}, but must be a finite number above zero")]
    NotAnEquivalentSampleSize {
        /// The number.
        found: f64,
    },
    /// A network of another shape.
    #[error(
        "the network has not the shape of naive Bayes: `{variable}` has the parents {}; the target `{target}` may have none, and every other variable no other than the target",
        list(.parents)
    )]
    NotNaiveBayes {
        /// The variable that has other parents.
        variable: String,
        /// Its parents.
        parents: Vec<String>,
        /// The target.
        target: String,
    },
    /// A network cannot be made or asked so.
    #[error(transparent)]
    Network(#[from] net::NetError),
    /// A class was to be weighed against itself.
    #[error("`{class}` cannot be weighed against itself: name another class")]
    AgainstItself {
        /// The class.
        class: String,
    },
}

/// What is wrong with the statistic of one variable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticFault {
    /// A number of classes, states or variables differs from the schema's.
    #[error(transparent)]
    Shape(#[from] ShapeMismatch),
    /// The schema says another kind.
    #[error("it was counted as {counted}, but the column is {kind}")]
    Kind {
        /// How it was counted.
        counted: &'static str,
        /// The word for the schema's kind.
        kind: &'static str,
    },
    /// The target was also counted as an attribute.
    #[error("it is the target and was also counted as an attribute")]
    TargetAsAttribute,
    /// The statistic was made for another target.
    #[error("it is the target of the statistic, but not of the schema")]
    AnotherTarget,
    /// A count is negative or not finite.
    #[error("a count is negative or not finite")]
    NotACount,
    /// A mean or a sum of squares is not finite: the numbers are too large.
    #[error("its mean or its spread is not a finite number; its values may be too large: rescale them")]
    NotFinite,
    /// Cut points must be finite and increase.
    #[error("its cut points are not finite and strictly increasing")]
    CutPoints,
}

fn list(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

fn them(names: &[String]) -> &'static str {
    if names.len() == 1 { "it" } else { "them" }
}

fn classes_present(present: &[String]) -> String {
    if present.is_empty() { "none has".into() } else { format!("only {} has", list(present)) }
}
