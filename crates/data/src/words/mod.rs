//! Words of documents: how a text becomes a row of words.
//!
//! | file | what it holds |
//! |---|---|
//! | `decode`, `page`, `message`, `markup` | bytes to text: encodings, web pages, messages, postings |
//! | `split`, `ascii` | where words begin and end |
//! | `marked` | the same words with where they stand, for those who show them |
//! | `tokenizer` | [`Words`], every choice that makes words of a text, and [`Tokenizer`], which follows it |
//! | `vocabulary` | the words met so far and their codes |

mod ascii;
mod decode;
mod marked;
mod markup;
mod message;
mod page;
mod split;
mod tokenizer;
mod vocabulary;

pub(crate) use decode::{is_binary, text_of};
pub use marked::{MarkedText, MarkedWord};
pub use markup::{Markup, Stripped};
pub use split::Inner;
pub use tokenizer::{NotWords, Splitter, Stemming, Tokenizer, Words, listed_stop_words, stop_words};
pub(crate) use vocabulary::{KnownWords, Vocabulary, WordList, hash_bytes, known_words};
