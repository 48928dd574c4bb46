// Words as the full-text index holds them and as a search asks for them.
//
// Every engine's full text has its own idea of a word: hyphens, apostrophes, accents, stop words, a
// shortest length. So a text is cut into words here, once, for what is stored and for what is
// asked, and each word is written so that no engine changes it: lower-case ASCII letters and digits
// only, with "zz" in front (which makes the shortest three letters long and no stop word), and no
// more than 80 of them (MariaDB leaves out what is longer than 84, PostgreSQL refuses 2 KiB).
//
// A word is a run of letters and digits; an apostrophe inside it is dropped (o'neil is oneil), any
// other character ends it. Latin letters lose case and accents (É is e, ß is ss); any other
// character beyond ASCII that is a letter or a symbol becomes u and its code point in hexadecimal,
// so that it can be found too. Ideographs, kana, hangul and symbols are words one by one, because
// those scripts put no blanks between words. Bytes that are not UTF-8 end a word.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shopmark::seed {

// In the order of the text, duplicates kept.
std::vector<std::string> search_words(std::string_view text);

}  // namespace shopmark::seed
