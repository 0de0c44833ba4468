//! Naive Bayes as a whole: textbooks' numbers, the statistic's laws, and the clever code against the obvious.

mod edge_cases;
mod explanations;
mod golden;
mod laws;
mod leave_one_out;
mod marginal_likelihood;
mod mixture;
mod network;
mod obvious;
mod scores;
mod semi_supervised;
mod table;
mod words;
