//! Files opened and read, and nothing else: how fast documents can be learned from at most.
//!
//!     cargo run --release -p tunbridge-data --example read_files -- THREADS FOLDER…
//!
//! Prints the seconds it takes to list the files of the folders, and to open and read them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() { list(&entry.path(), files)? } else { files.push(entry.path()) }
    }
    Ok(())
}

fn read(files: &[PathBuf]) -> std::io::Result<u64> {
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    for path in files {
        let mut file = File::open(path)?;
        while let n @ 1.. = file.read(&mut buffer)? {
            bytes += n as u64;
        }
    }
    Ok(bytes)
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|n| n.parse().ok()).expect("say how many threads");
    let start = Instant::now();
    let mut files = Vec::new();
    for folder in arguments {
        list(Path::new(&folder), &mut files)?;
    }
    files.sort();
    let listed = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let parts = files.chunks(files.len().div_ceil(threads).max(1));
    let bytes = std::thread::scope(|scope| {
        let parts: Vec<_> = parts.map(|part| scope.spawn(|| read(part))).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).sum::<std::io::Result<u64>>()
    })?;
    println!("{{\"files\":{},\"bytes\":{bytes},\"list\":{listed},\"read\":{}}}", files.len(), start.elapsed().as_secs_f64());
    Ok(())
}
