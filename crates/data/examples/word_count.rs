//! A plain word count: how fast words of a file can be counted at all, for comparison with learning from them.
//!
//!     cargo run --release -p tunbridge-data --example word_count -- FILE
//!
//! Runs of ASCII letters and digits and of bytes beyond ASCII, in small letters, in one thread.

use std::fs::File;
use std::io::Read;

use hashbrown::HashMap;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).expect("name a file");
    let mut file = File::open(path)?;
    let mut counts: HashMap<Box<[u8]>, u64> = HashMap::new();
    let mut buffer = vec![0_u8; 1 << 20];
    let mut word = Vec::new();
    let mut n_words = 0_u64;
    loop {
        let n = file.read(&mut buffer)?;
        for byte in buffer[..n].iter().copied().chain((n == 0).then_some(b' ')) {
            if byte.is_ascii_alphanumeric() || byte >= 128 {
                word.push(byte.to_ascii_lowercase());
            } else if !word.is_empty() {
                n_words += 1;
                match counts.get_mut(&word[..]) {
                    Some(count) => *count += 1,
                    None => {
                        counts.insert(word.clone().into(), 1);
                    }
                }
                word.clear();
            }
        }
        if n == 0 {
            break;
        }
    }
    println!("{n_words} words, {} different", counts.len());
    Ok(())
}
