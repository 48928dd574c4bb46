#include "seed/command_line.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"

namespace shopmark::command_line {

namespace {

bool is_boolean(const absl::CommandLineFlag& flag) { return flag.IsOfType<bool>(); }

// Words in lines of 80 columns, indented.
void print_wrapped(std::string_view text) {
  constexpr std::size_t kIndent = 6;
  constexpr std::size_t kWidth = 80 - kIndent;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > kWidth) {
      end = text.rfind(' ', kWidth);
      if (end == std::string_view::npos) end = std::min(text.find(' '), text.size());
    }
    std::printf("%*s%.*s\n", static_cast<int>(kIndent), "", static_cast<int>(end), text.data());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void print_help(const Program& program) {
  std::printf("%s\nFlags:\n", program.help.c_str());
  for (const std::string& name : program.flags) {
    const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
    const std::string value = flag->DefaultValue();
    std::printf("  --%s\n", name.c_str());
    print_wrapped(flag->Help());
    if (!value.empty()) std::printf("      default: %s\n", value.c_str());
  }
  if (!program.passthrough_prefix.empty()) {
    std::printf("  %s...\n", program.passthrough_prefix.c_str());
    print_wrapped("Google Benchmark's own: filter, repetitions, out, ...");
  }
}

// Our flag of that name, or nullptr.
absl::CommandLineFlag* find_flag(const Program& program, std::string_view name) {
  const bool ours =
      std::find(program.flags.begin(), program.flags.end(), name) != program.flags.end();
  // The distribution's absl::string_view is not the standard one.
  return ours ? absl::FindCommandLineFlag({name.data(), name.size()}) : nullptr;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// Writes over the passwords of URIs: scheme://USER:PASSWORD@..., and ?password=PASSWORD.
void hide_passwords(char* text, std::size_t size) {
  const std::string_view view(text, size);
  const auto hide = [&](std::size_t from, std::size_t until) {
    std::fill(text + std::min(from, size), text + std::min(until, size), 'x');
  };
  for (std::size_t at = view.find("://"); at != std::string_view::npos;
       at = view.find("://", at + 1)) {
    const std::size_t user = at + 3;
    const std::size_t at_sign = view.substr(0, view.find(',', user)).rfind('@');
    const std::size_t colon = view.find(':', user);
    if (at_sign != std::string_view::npos && colon < at_sign) hide(colon + 1, at_sign);
  }
  constexpr std::string_view kOption = "password=";
  for (std::size_t at = view.find(kOption); at != std::string_view::npos;
       at = view.find(kOption, at + 1)) {
    hide(at + kOption.size(), view.find_first_of("&,", at));
  }
}

std::string without_passwords(std::string text) {
  hide_passwords(text.data(), text.size());
  return text;
}

Parsed parse_arguments(int argc, const char* const* argv, const Program& program) {
  Parsed parsed;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      print_help(program);
      parsed.exit_status = 0;
      return parsed;
    }
    if (!program.passthrough_prefix.empty() && argument.starts_with(program.passthrough_prefix)) {
      parsed.passthrough.emplace_back(argument);
      continue;
    }
    if (!argument.starts_with("--") || argument == "--") {
      std::fprintf(stderr, "%s: unexpected argument '%s'\n", program.name.c_str(),
                   without_passwords(argv[i]).c_str());
      parsed.exit_status = 2;
      return parsed;
    }

    const std::size_t equals = argument.find('=');
    const bool has_value = equals != std::string_view::npos;
    std::string_view name = argument.substr(2, has_value ? equals - 2 : equals);
    std::string value(has_value ? argument.substr(equals + 1) : std::string_view());
    absl::CommandLineFlag* flag = find_flag(program, name);
    if (flag == nullptr && name.starts_with("no") && !has_value) {
      flag = find_flag(program, name.substr(2));
      if (flag != nullptr && is_boolean(*flag)) {
        name.remove_prefix(2);
        value = "false";
      } else {
        flag = nullptr;
      }
    } else if (flag != nullptr && !has_value) {
      if (is_boolean(*flag)) {
        value = "true";
      } else if (i + 1 < argc) {
        value = argv[++i];
      } else {
        parsed.exit_status = flag_error(program, name, "needs a value");
        return parsed;
      }
    }
    if (flag == nullptr) {
      parsed.exit_status = flag_error(program, name, "no such flag; --help lists them");
      return parsed;
    }
    std::string error;
    if (!flag->ParseFrom(value, &error)) {
      const std::string why = "'" + value + "' is not a value of it";
      parsed.exit_status =
          flag_error(program, name, error.empty() ? why : why + ": " + one_line(error));
      return parsed;
    }
    parsed.given.emplace_back(name);
  }
  return parsed;
}

}  // namespace

bool Parsed::was_given(std::string_view flag) const {
  return std::find(given.begin(), given.end(), flag) != given.end();
}

int flag_error(const Program& program, std::string_view flag, std::string_view why) {
  std::fprintf(stderr, "%s: --%.*s: %.*s\n", program.name.c_str(), static_cast<int>(flag.size()),
               flag.data(), static_cast<int>(why.size()), why.data());
  return 2;
}

Parsed parse(int argc, char** argv, const Program& program) {
  Parsed parsed = parse_arguments(argc, argv, program);
  for (int i = 1; i < argc; ++i) hide_passwords(argv[i], std::strlen(argv[i]));
  return parsed;
}

}  // namespace shopmark::command_line
