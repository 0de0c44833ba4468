//! Curves for people: in the terminal, as SVG, and as an SVG that moves. A small tool that knows nothing of what it draws.

mod animated;
mod figure;
mod file;
mod svg;
mod terminal;

pub use animated::{Animation, animated};
pub use figure::{Figure, Series, Stroke};
pub use file::{check, write};
pub use svg::svg;
pub use terminal::terminal;
