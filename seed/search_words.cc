#include "seed/search_words.h"

#include <cstdint>

namespace shopmark::seed {

namespace {

// What stands for the letters U+00C0 to U+017F (Latin-1 and Latin Extended-A) and U+1E00 to U+1EFF
// (Latin Extended Additional), in order: the base letter of Unicode's canonical decomposition, or
// the customary ASCII spelling where there is none. 1 is ae, 2 oe, 3 ss, 4 th, 5 ij; a blank is no
// letter, a dot a letter that has no such spelling.
constexpr std::string_view kLatin =
    "aaaaaa1ceeeeiiiidnooooo ouuuuy43aaaaaa1ceeeeiiiidnooooo ouuuuy4y"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii55jjkkklllllll"
    "lllnnnnnnnnnoooooo22rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
constexpr std::string_view kLatinAdditional =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwyasss3.aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy..vvyy";
static_assert(kLatin.size() == 0x180 - 0xC0 && kLatinAdditional.size() == 0x100);
constexpr std::string_view kPairs[] = {"ae", "oe", "ss", "th", "ij"};

constexpr char32_t kInvalid = 0xFFFFFFFF;

// The next code point, consumed; kInvalid, one byte consumed, where the bytes are not UTF-8.
char32_t next_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  std::size_t length = 0;
  char32_t code = 0;
  char32_t least = 0;
  if (lead < 0x80) {
    length = 1, code = lead;
  } else if ((lead & 0xE0) == 0xC0) {
    length = 2, code = lead & 0x1F, least = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, code = lead & 0x0F, least = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, code = lead & 0x07, least = 0x10000;
  }
  bool valid = length != 0 && length <= text.size();
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    code = (code << 6) | (byte(i) & 0x3F);
  }
  valid = valid && code >= least && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  text.remove_prefix(valid ? length : 1);
  return valid ? code : kInvalid;
}

bool is_apostrophe(char32_t code) { return code == 0x27 || code == 0x2019 || code == 0x2BC; }

// Accents written as characters of their own, and what only chooses a glyph: dropped.
bool is_mark(char32_t code) {
  return (code >= 0x300 && code <= 0x36F) || (code >= 0xFE00 && code <= 0xFE0F) || code == 0xAD;
}

bool is_separator(char32_t code) {
  return code == kInvalid || (code >= 0x80 && code < 0xC0) ||
         (code >= 0x2000 && code <= 0x206F) ||  // general punctuation
         (code >= 0x3000 && code <= 0x3003) ||  // CJK punctuation
         (code >= 0x3008 && code <= 0x3020) ||  //
         (code >= 0xFF00 && code <= 0xFF0F) ||  // fullwidth punctuation
         (code >= 0xFF1A && code <= 0xFF20) ||  //
         (code >= 0xE000 && code <= 0xF8FF) ||  // private use
         code == 0xFEFF || code == 0xFFFD;
}

// Scripts without blanks between words, and symbols: a word each.
bool stands_alone(char32_t code) { return (code >= 0x2100 && code <= 0x2BFF) || code >= 0x2E80; }

void append_hexadecimal(std::string& to, char32_t code) {
  to.push_back('u');
  int shift = 20;
  while (shift > 0 && (code >> shift) == 0) shift -= 4;
  for (; shift >= 0; shift -= 4) to.push_back("0123456789abcdef"[(code >> shift) & 0xF]);
}

// A letter of the tables.
void append_latin(std::string& to, char letter) {
  if (letter >= '1' && letter <= '5') {
    to += kPairs[letter - '1'];
  } else {
    to.push_back(letter);
  }
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
  constexpr std::string_view kPrefix = "zz";
  constexpr std::size_t kLongest = 80;
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    words.push_back((std::string(kPrefix) + word).substr(0, kLongest));
    word.clear();
  };

  while (!text.empty()) {
    const char32_t code = next_code_point(text);
    if (is_apostrophe(code) || is_mark(code)) continue;
    if (code < 0x80) {
      const char c = static_cast<char>(code >= 'A' && code <= 'Z' ? code - 'A' + 'a' : code);
      if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        word.push_back(c);
      } else {
        end_word();
      }
      continue;
    }
    char latin = '.';
    if (code >= 0xC0 && code < 0xC0 + kLatin.size()) latin = kLatin[code - 0xC0];
    if (code >= 0x1E00 && code < 0x1E00 + kLatinAdditional.size()) {
      latin = kLatinAdditional[code - 0x1E00];
    }
    if (latin == ' ' || is_separator(code)) {
      end_word();
    } else if (latin != '.') {
      append_latin(word, latin);
    } else {
      if (stands_alone(code)) end_word();
      append_hexadecimal(word, code);
      if (stands_alone(code)) end_word();
    }
  }
  end_word();
  return words;
}

}  // namespace shopmark::seed
