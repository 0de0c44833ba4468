//! `estimate`: what is believed of the parameters of a likelihood, before data and after them.

mod bar;
mod facts;
mod pictures;
mod words;

use std::fmt::Write as _;
use std::time::Instant;

use tunbridge::estimate::{BayesFactor, DensityText, Estimate, EstimateOptions, FamilyKind, Sample, Trials, Work, bayes_factor, estimate};
use tunbridge::{Error, Timings};

use self::bar::Bar;
use super::{no_trace, print, print_json};
use crate::Failure;
use crate::args::{Common, Format, refuse};
use crate::estimate_args::EstimateArgs;
use crate::lists::items;
use crate::plot;
use crate::progress::{self, remark};

pub fn run(args: &EstimateArgs, common: &Common, timings: &mut Timings) -> Result<(), Failure> {
    no_trace(common)?;
    let as_csv = common.format == Some(Format::Csv);
    if as_csv && args.draws == 0 {
        return Err(Failure::Usage("--format csv prints draws: say how many with --draws".into()));
    }
    let as_json = if as_csv { false } else { common.json()? };
    for path in args.plot.iter().chain(&args.animate) {
        plot::check(path)?;
    }
    if args.plot.is_some() && args.plot == args.animate {
        return Err(Failure::Usage("--plot and --animate name the same file: the one would replace the other".into()));
    }
    let bar = Bar::new(common);
    let options = options(args, common, &bar)?;
    let mut sample = sample(args, common)?;
    let against = against(args, &options)?;
    for options in std::iter::once(&options).chain(&against) {
        options.check(&sample).map_err(usage)?;
    }
    let start = Instant::now();
    let _bar = match &mut sample {
        Sample::Files { read, .. } => Some(progress::show(read, common)),
        Sample::Values(_) => None,
    };
    let found = estimate(&sample, &options)?;
    let factor = match &against {
        Some(against) => Some(bayes_factor(&sample, &found, against)?),
        None => None,
    };
    drop(_bar);
    bar.clear();
    timings.add("learn", start);
    found.remarks.iter().for_each(|text| remark(common, text));
    let start = Instant::now();
    if let Some(path) = &args.plot {
        pictures::write_plot(path, &found)?;
        remark(common, &format!("wrote {}", path.display()));
    }
    if let Some(path) = &args.animate {
        pictures::write_animation(path, &found)?;
        remark(common, &format!("wrote {}, {} frames", path.display(), found.frames.len()));
    }
    timings.add("write", start);
    if as_csv {
        return print(&draws_as_csv(&found));
    }
    if as_json {
        return print_json(&facts::facts(&found, factor.as_ref(), &options));
    }
    print(&text(&found, factor.as_ref(), &options))
}

fn options(args: &EstimateArgs, common: &Common, bar: &Bar) -> Result<EstimateOptions, Failure> {
    if !(args.most_minutes > 0.0 && args.most_minutes.is_finite()) {
        return Err(Failure::Usage(format!("--most-minutes {}: give a number above 0", args.most_minutes)));
    }
    let mut at = Vec::new();
    for pair in args.at.iter().flat_map(|list| items(list)) {
        let number = pair.rsplit_once('=').and_then(|(name, x)| Some((name.trim().to_string(), x.trim().parse::<f64>().ok()?)));
        let number = number.filter(|(_, x)| x.is_finite());
        at.push(number.ok_or_else(|| Failure::Usage(format!("--at `{pair}`: write NAME=NUMBER, as in height=180")))?);
    }
    // clap lets this pass where --family is there, which --density excludes.
    let of_density = [("--range", args.range.is_some()), ("--whole-numbers", args.whole_numbers), ("--chains", args.chains.is_some())];
    if args.density.is_none() {
        refuse(&of_density, "goes with --density")?;
    }
    let of_family = |kind: FamilyKind| {
        EstimateOptions::of(kind.word())
            .map(|options| EstimateOptions { prior: (!args.prior.is_empty()).then(|| args.prior.join(", ")), ..options })
    };
    let of_kind = match (&args.density, args.family) {
        (Some(text), _) => EstimateOptions::of_density(DensityText {
            text: text.clone(),
            priors: args.prior.clone(),
            range: args.range.clone(),
            whole_numbers: args.whole_numbers,
            chains: args.chains.map(usize::from),
        }),
        (None, Some(kind)) => of_family(kind),
        (None, None) => return Err(Failure::Usage("say which --family, or write a --density".into())),
    };
    Ok(EstimateOptions {
        known_sd: args.known_sd,
        trials: args.trials.as_deref().map(trials).transpose()?,
        success: args.success.clone(),
        interval: args.interval,
        interval_kind: args.interval_kind.into(),
        at,
        draws: args.draws as usize,
        seed: common.seed,
        parameter: args.parameter.clone(),
        frames: args.animate.is_some(),
        work: Work {
            threads: common.threads.map_or(0, usize::from),
            most_seconds: 60.0 * args.most_minutes,
            tell: Some(bar.teller(common)),
        },
        ..of_kind?
    })
}

/// A number of trials, or the column that has it for each row.
fn trials(text: &str) -> Result<Trials, Failure> {
    match text.parse::<f64>() {
        Ok(_) => text.parse().map(Trials::Each).map_err(|_| Failure::Usage(format!("--trials {text}: give a whole number, or a column"))),
        Err(_) => Ok(Trials::Column(text.to_string())),
    }
}

fn sample(args: &EstimateArgs, common: &Common) -> Result<Sample, Failure> {
    if let Some(values) = &args.values {
        args.read.not_of_files()?;
        let columns = &args.columns;
        let of_tables = [
            ("--types", !columns.types.is_empty()),
            ("--ignore", !columns.ignore.is_empty()),
            ("--weight", columns.weight.is_some()),
            ("--schema", columns.schema.is_some()),
            ("--missing", !args.read.missing.is_empty()),
        ];
        refuse(&of_tables, "is for tables, and --values are none")?;
        // An empty list is no data, and says what the prior says.
        let list = if values.trim().is_empty() { Vec::new() } else { values.split(',').map(|x| x.trim().to_string()).collect() };
        return Ok(Sample::Values(list));
    }
    let mut read = args.read.options(common);
    args.columns.apply(&mut read, None)?;
    let names = |lists: &[String]| lists.iter().flat_map(|list| items(list)).collect::<Vec<String>>();
    Ok(Sample::Files { paths: args.data.clone(), read: Box::new(read), columns: names(&args.column), given: names(&args.given) })
}

/// The other model of a Bayes factor.
fn against(args: &EstimateArgs, first: &EstimateOptions) -> Result<Option<EstimateOptions>, Failure> {
    if args.against.is_empty() && args.against_family.is_none() && args.against_density.is_none() {
        return Ok(None);
    }
    let of_density = args.against_density.as_ref().or_else(|| args.density.as_ref().filter(|_| args.against_family.is_none()));
    if let Some(text) = of_density {
        if args.against.is_empty() {
            return Err(Failure::Usage("say what is believed of each parameter of the other density, with --against".into()));
        }
        // The range and the whole numbers are what the data are, whoever asks.
        let known = first.density.clone().unwrap_or_default();
        let (whole_numbers, range) = (args.whole_numbers, args.range.clone());
        let density = DensityText { text: text.clone(), priors: args.against.clone(), range, whole_numbers, ..known };
        let other = EstimateOptions::of_density(density).map_err(usage)?;
        return Ok(Some(EstimateOptions { at: Vec::new(), work: first.work.clone(), seed: first.seed, ..other }));
    }
    let kind = args.against_family.unwrap_or(first.kind);
    if args.against.is_empty() && kind == first.kind {
        return Err(Failure::Usage("--against-family names the same family: say with --against what else is believed".into()));
    }
    // What is known of the one family means nothing to the other.
    let same = kind == first.kind;
    Ok(Some(EstimateOptions {
        kind,
        density: None,
        prior: (!args.against.is_empty()).then(|| args.against.join(", ")),
        known_sd: first.known_sd.filter(|_| same),
        trials: first.trials.clone().filter(|_| same),
        success: first.success.clone().filter(|_| same),
        at: Vec::new(),
        ..first.clone()
    }))
}

/// What is wrong with the command line alone.
fn usage(e: Error) -> Failure {
    match e.hint() {
        Some(hint) => Failure::Usage(format!("{e}; {hint}")),
        None => Failure::Usage(e.to_string()),
    }
}

fn draws_as_csv(found: &Estimate) -> String {
    let quoted = |name: &String| if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.clone() };
    let header: Vec<String> = found.parameters.iter().map(|parameter| quoted(&parameter.name)).collect();
    let mut text = header.join(",") + "\n";
    for draw in &found.draws {
        let _ = writeln!(text, "{}", draw.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    }
    text
}

fn text(found: &Estimate, factor: Option<&BayesFactor>, options: &EstimateOptions) -> String {
    let mut text = words::summary(found, options);
    if let Some(factor) = factor {
        let _ = write!(text, "\n{}", words::comparison(found, factor, options));
    }
    if !found.draws.is_empty() {
        let _ = write!(text, "\n{}", words::draws(found, options));
    }
    let _ = write!(text, "\n{}", pictures::in_terminal(found));
    text
}
