//! Lists on the command line: commas between the items, and double quotes around an item that holds commas itself.

/// The items of `a,b` and of `"a,b",c`; two double quotes within quotes stand for one, as in CSV.
pub fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut chars = text.chars().peekable();
    let (mut at_start, mut quoted) = (true, false);
    while let Some(c) = chars.next() {
        let item = items.last_mut().expect("there is always one");
        match c {
            '"' if at_start => quoted = true,
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                item.push('"');
            }
            '"' if quoted => quoted = false,
            ',' if !quoted => {
                items.push(String::new());
                at_start = true;
                continue;
            }
            _ => item.push(c),
        }
        at_start = false;
    }
    items.retain(|item| !item.is_empty());
    items
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn quotes_keep_commas() {
        assert_eq!(items("a,b"), ["a", "b"]);
        assert_eq!(items("\"a,b\",c"), ["a,b", "c"]);
        assert_eq!(items("\"a,b\"=numeric,c=category"), ["a,b=numeric", "c=category"]);
        assert_eq!(items("\"say \"\"a,b\"\"\",c"), ["say \"a,b\"", "c"]);
        assert_eq!(items("5\" disk,c"), ["5\" disk", "c"]);
        assert!(items("").is_empty());
    }
}
