//! A model of texts loaded, and one short text classified again and again: how long an answer takes where a model is held in memory.
//!
//!     cargo run --release -p tunbridge --example one_text -- MODEL 'the text'

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use tunbridge::belief::Kind;
use tunbridge::{Case, Model};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (model, text) = arguments.next().zip(arguments.next()).ok_or("name a model and give a text")?;
    let start = Instant::now();
    let Model::NaiveBayes(model) = Model::load(Path::new(&model))? else { return Err("a model of texts".into()) };
    let loaded = start.elapsed().as_secs_f64();
    let column = model.schema().variables().iter().find(|v| matches!(v.kind, Kind::Text(_))).ok_or("no column is a text")?;
    let pair = [format!("{}={text}", column.name)];
    const TIMES: u32 = 10_000;
    let mut sum = 0.0;
    let start = Instant::now();
    for _ in 0..TIMES {
        let case = Case::parse_with(model.schema(), &pair, model.recipe())?;
        sum += case.lend(|row| model.answer(row))?.probability[0];
    }
    let each = start.elapsed().as_secs_f64() / f64::from(TIMES);
    println!("{{\"load\":{loaded},\"answer\":{each},\"classes\":{},\"probability\":{}}}", model.classes().len(), sum / f64::from(TIMES));
    Ok(())
}
