//! What a number counts that is no line of the program: "line 3 of the output", "order line 3".

use super::Reader;
use crate::content::leak::is_one_of;

/// Before or behind a line's number, these say that it is no line of the program.
const OTHERS: &str = "\
    output outputs file files log logs input inputs text report message letter table page csv document result \
    results printout console screen terminal response request header body config stdout stderr defence defense \
    support traceback transcript";

/// These have lines as well: "order line 3", "line 3 of the invoice", "the third line item". Behind a number alone they say
/// nothing, since programs are about them.
const PAPERS: &str = "\
    order orders invoice invoices receipt receipts bill bills basket cart ticket item items position positions \
    purchase sales credit debit budget ledger journal statement quote delivery product production assembly \
    telephone phone bus metro tram train subway railway";

/// Articles and the like, which may stand before such a paper.
const ARTICLES: &str = "the an a this that its their his her every each one your our";

impl Reader<'_> {
    /// Whether the words from `from` to `to` are about lines of something else: "line 3 of the output", "log line 3".
    pub(super) fn counts_something_else(&self, from: usize, to: usize) -> bool {
        let before = from.checked_sub(1).map_or("", |before| self.word(before));
        if is_one_of(OTHERS, before) || is_one_of(PAPERS, before) {
            return true;
        }
        let behind = self.word(to);
        if !matches!(behind, "of" | "in" | "from" | "on") {
            return is_one_of(OTHERS, behind) || matches!(behind, "printed" | "item" | "items");
        }
        // "line 3 in order to" is about the program.
        let paper = to + 1 + usize::from(is_one_of(ARTICLES, self.word(to + 1)));
        let is_paper = is_one_of(PAPERS, self.word(paper)) && !(behind == "in" && paper == to + 1);
        is_paper || (to + 1..to + 4).map(|at| self.word(at)).any(|word| is_one_of(OTHERS, word))
    }
}

#[cfg(test)]
mod tests {
    use crate::content::leak::said::lines;

    #[test]
    fn lines_of_papers_and_of_trains_are_none_of_the_program() {
        for text in [
            "Order line 3 is free",
            "order lines 3 and 4",
            "Invoice line 3",
            "line 3 of the invoice",
            "line 3 of an order",
            "line 3 of order 7",
            "line 3 on her receipt",
            "the third line of the order",
            "the third line item",
            "Line item 3 is free",
            "bus line 14",
            "line 14 of the metro",
            "line 3 on the console",
        ] {
            assert_eq!(lines(text, 30), [], "{text}");
        }
        for text in [
            "line 3 loses the order",
            "the order of line 3",
            "line 3 in order to keep it",
            "in order: line 3",
            "line 3 of the program",
            "line 3 on the way",
            "the third line orders them",
        ] {
            assert_eq!(lines(text, 30).len(), 1, "{text}");
        }
    }
}
