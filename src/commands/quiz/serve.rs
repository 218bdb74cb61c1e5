//! `fencepost quiz --serve-stdio`: a session with a bot or an editor.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;

use crate::commands::{Session, json_line, play};
use crate::content::catalog::{Catalog, Entry};
use crate::error::{self, Error, Exit};
use crate::script::lines::{self, Input};
use crate::script::server::Server;

pub(super) fn run(session: &Session, catalog: &Catalog, questions: Vec<Arc<Entry>>) -> Result<Exit, Error> {
    let served = Catalog { packs: catalog.packs.clone(), questions, problems: Vec::new() };
    let runner = session.runner()?;
    // The first run takes longest, so the template starts while the peer reads.
    runner.prewarm();
    let look = || play::sandbox(&runner);
    let mut server = Server::new(Arc::new(served), &runner, &look, &session.global.trust_pack);
    let mut out = io::stdout().lock();
    let mut from = io::stdin().lock();
    let mut line = Some(server.hello());
    loop {
        if let Some(reply) = &line {
            match out.write_all(json_line(reply)?.as_bytes()).and_then(|()| out.flush()) {
                // A peer that has gone ends the session as one that says nothing more.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(Exit::Done),
                written => error::written(written)?,
            }
        }
        match lines::next(&mut from) {
            Ok(Input::End) => return Ok(Exit::Done),
            Ok(input) => line = server.reply(&input),
            Err(error) => return Err(Error::usage("cannot read requests from standard input").because(error)),
        }
    }
}
