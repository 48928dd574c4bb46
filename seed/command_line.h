// Command lines of our programs: Abseil's flags, our own manners. Every mistake is one line that
// names the flag, and --help shows our flags alone.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::command_line {

struct Program {
  std::string name;
  // What it does and examples; printed above the flags by --help.
  std::string help;
  // The names of its ABSL_FLAGs, in the order in which --help lists them. Other flags do not exist.
  std::vector<std::string> flags;
  // Arguments that start with this are not ours and are handed back; empty: there are none.
  std::string passthrough_prefix;
};

struct Parsed {
  // Set when the program should end now: 0 after --help, 2 after a mistake.
  std::optional<int> exit_status;
  // In the order given.
  std::vector<std::string> passthrough;
  // Which of our flags were given.
  std::vector<std::string> given;

  bool was_given(std::string_view flag) const;
};

// Takes --flag=value, --flag value, and for booleans --flag and --noflag. Afterwards the passwords
// in argv itself, which other users may see in a list of processes, are written over.
Parsed parse(int argc, char** argv, const Program& program);

// "PROGRAM: --flag: why" on stderr; returns 2.
int flag_error(const Program& program, std::string_view flag, std::string_view why);

}  // namespace shopmark::command_line
