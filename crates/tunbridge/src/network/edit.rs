//! Networks edited: arcs, variables and names changed one step after another, with what the file says around them.

use net::format::Document;
use net::{Edit, Effect};

use super::NetworkFile;
use crate::Error;

impl NetworkFile {
    /// The network after some edits, made one after another, with what each did. What the file says of variables that stay is kept. A model that the
    /// network is of is not: its counts are of other tables.
    ///
    /// # Errors
    /// When the file has factors without directions or arcs without probabilities, or an edit cannot be made: which, and why.
    ///
    /// ```
    /// use tunbridge::network::NetworkFile;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("cancer.tbn");
    /// # std::fs::write(&path, "variable Cancer yes/no\n  0.008\nvariable Test +/- given Cancer\n  yes: 0.98\n  no: 0.03\n")?;
    /// let file = NetworkFile::open(&path)?;
    /// let (edited, effects) = file.edited(&["reverse Cancer -> Test".parse()?, "rename Test to Smear".parse()?])?;
    /// assert!(effects.iter().all(|effect| effect.is_kept()) && edited.domain().find("Smear").is_ok());
    /// let refused = file.edited(&["sum out Cancer".parse()?, "given Cancer = no".parse()?]).unwrap_err();
    /// assert_eq!(refused.to_string(), "edit 2, `given Cancer = no`: no variable is named `Cancer`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edited(&self, edits: &[Edit]) -> Result<(Self, Vec<Effect>), Error> {
        let mut document = self.editable()?.clone();
        let mut effects = Vec::with_capacity(edits.len());
        for (place, edit) in edits.iter().enumerate() {
            let edit = self.given_bin(&document, edit);
            let (edited, effect) =
                document.edited(&edit).map_err(|fault| Error::from(fault).at(format!("edit {}, `{edit}`", place + 1)))?;
            document = edited;
            effects.push(effect);
        }
        Ok((self.with_document(document), effects))
    }

    /// The document, where it has a Bayesian network with its probabilities.
    fn editable(&self) -> Result<&Document, Error> {
        let path = self.path.display();
        match self.document() {
            None => Err(Error::unfit(
                format!("{path}: has factors without directions, and edits are made of a Bayesian network"),
                "`tunbridge show` and `tunbridge ask` work on it",
            )),
            Some(_) if self.is_structure() => Err(Error::unfit(
                format!("{path}: has arcs and no probabilities, and an edit changes both"),
                format!("learn its tables first, as in `tunbridge learn DATA --structure '{path}'`"),
            )),
            Some(document) => Ok(document),
        }
    }

    /// An edit with the bin of a number in its place, where the network was learned from numbers that were cut.
    fn given_bin(&self, document: &Document, edit: &Edit) -> Edit {
        let mut edit = edit.clone();
        if let Edit::Given(of) = &mut edit
            && let Some(bin) = self.bin_of_number(document.network().domain(), &of.variable, &of.state)
        {
            of.state = bin;
        }
        edit
    }
}
