#include "bench/run/document.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bench/run/percentiles.h"
#include "bench/run/run_error.h"

namespace shopmark::bench {

namespace {

using benchmark::BenchmarkReporter;

// nlohmann's dump() writes numbers without the locale, replaces bytes that are not UTF-8 when told
// to, but would write null for a number that is not finite: to_text refuses those first.
std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void write(const Json& value, std::size_t indent, std::string& to) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    throw std::domain_error("a number is not finite");
  }
  const std::string margin(indent + 2, ' ');
  const auto nested = [](const Json& item) { return item.is_structured(); };
  const bool plain_list = value.is_array() && std::none_of(value.begin(), value.end(), nested);
  if (!value.is_structured() || value.empty()) {
    to += dump(value);
  } else if (plain_list) {
    to += '[';
    bool first = true;
    for (const Json& item : value) {
      if (!std::exchange(first, false)) to += ',';
      write(item, indent, to);
    }
    to += ']';
  } else {
    to += value.is_array() ? '[' : '{';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
      to += std::exchange(first, false) ? "\n" : ",\n";
      to += margin;
      if (value.is_object()) to += dump(Json(key)) + ": ";
      write(item, indent + 2, to);
    }
    to += '\n' + std::string(indent, ' ');
    to += value.is_array() ? ']' : '}';
  }
}

std::string text_at(const Json& value, std::size_t indent) {
  std::string text;
  write(value, indent, text);
  return text;
}

Json describe_scaling(benchmark::CPUInfo::Scaling scaling) {
  if (scaling == benchmark::CPUInfo::UNKNOWN) return nullptr;
  return scaling == benchmark::CPUInfo::ENABLED;
}

}  // namespace

std::string to_text(const Json& value) { return text_at(value, 0); }

Json google_context(const BenchmarkReporter::Context& context) {
  const benchmark::CPUInfo& cpu = context.cpu_info;
  Json json;
  json["date"] = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::LocalTimeZone());
  json["host_name"] = context.sys_info.name;
  if (BenchmarkReporter::Context::executable_name != nullptr) {
    json["executable"] = BenchmarkReporter::Context::executable_name;
  }
  json["num_cpus"] = cpu.num_cpus;
  json["mhz_per_cpu"] = std::llround(cpu.cycles_per_second / 1e6);
  const Json scaling = describe_scaling(cpu.scaling);
  if (!scaling.is_null()) json["cpu_scaling_enabled"] = scaling;
  json["caches"] = Json::array();
  for (const benchmark::CPUInfo::CacheInfo& cache : cpu.caches) {
    json["caches"].push_back({{"type", cache.type},
                              {"level", cache.level},
                              {"size", cache.size},
                              {"num_sharing", cache.num_sharing}});
  }
  json["load_avg"] = cpu.load_avg;
  // The library does not say how it was built but in the text that it prints.
  std::ostringstream printed;
  BenchmarkReporter::PrintBasicContext(&printed, context);
  const bool debug = printed.str().find("Library was built as DEBUG") != std::string::npos;
  json["library_build_type"] = debug ? "debug" : "release";
  if (const auto* custom = benchmark::internal::GetGlobalContext(); custom != nullptr) {
    for (const auto& [key, value] : *custom) json[key] = value;
  }
  return json;
}

Json entry(const BenchmarkReporter::Run& run, const CaseRun& case_run) {
  const bool aggregate = run.run_type == BenchmarkReporter::Run::RT_Aggregate;
  Json json;
  json["name"] = run.benchmark_name();
  json["family_index"] = run.family_index;
  json["per_family_instance_index"] = run.per_family_instance_index;
  json["run_name"] = run.run_name.str();
  json["run_type"] = aggregate ? "aggregate" : "iteration";
  json["repetitions"] = run.repetitions;
  if (!aggregate) json["repetition_index"] = run.repetition_index;
  json["threads"] = run.threads;
  if (aggregate) {
    json["aggregate_name"] = run.aggregate_name;
    json["aggregate_unit"] = run.aggregate_unit == benchmark::kTime ? "time" : "percentage";
  }
  if (const std::string error = error_of(run); !error.empty()) {
    json["error_occurred"] = true;
    json["error_message"] = error;
  } else {
    json["iterations"] = run.iterations;
    if (aggregate && run.aggregate_unit == benchmark::kPercentage) {
      json["real_time"] = run.real_accumulated_time;
      json["cpu_time"] = run.cpu_accumulated_time;
    } else {
      json["real_time"] = run.GetAdjustedRealTime();
      json["cpu_time"] = run.GetAdjustedCPUTime();
    }
    json["time_unit"] = benchmark::GetTimeUnitString(run.time_unit);
  }
  json["query"] = case_run.timed().name;
  json["title"] = case_run.timed().title;
  json["target"] = case_run.target();
  json["engine"] = case_run.engine();
  if (case_run.timed().writes) json["writes"] = true;
  if (aggregate) return json;

  json["parameters"] = case_run.parameters().size();
  Json& rows = json["parameter_rows"] = Json::array();
  for (const Parameters& parameters : case_run.parameters()) rows.push_back(parameters.rows);
  if (!error_of(run).empty()) return json;
  if (!case_run.answers_digest().empty()) json["answers_digest"] = case_run.answers_digest();
  // Each call's count was compared with its parameter's, so these are what came.
  json["rows"] = case_run.parameters().front().rows;
  const Attempt& attempt = case_run.repetition(run.repetition_index, run.repetitions);
  const Percentiles values = percentiles(attempt.samples_ns);
  json["p50"] = values.p50;
  json["p95"] = values.p95;
  if (values.p99) json["p99"] = *values.p99;
  json["client_cpu"] = std::llround(attempt.client_cpu_ns_per_call());
  if (case_run.timed().writes) json["retries"] = attempt.retries;
  json["samples"] = attempt.samples_ns;
  return json;
}

Document::Document(Json context, Json ours)
    : context_(std::move(context)), ours_(std::move(ours)) {}

bool Document::add(Json entry) {
  bool good = !entry.contains("error_occurred");
  std::string text;
  try {
    text = text_at(entry, 4);
  } catch (const std::domain_error& error) {
    good = false;
    for (const char* key : {"real_time", "cpu_time", "time_unit", "iterations"}) entry.erase(key);
    entry["error_occurred"] = true;
    entry["error_message"] = error.what();
    text = text_at(entry, 4);
  }
  entries_.push_back(std::move(text));
  return good;
}

std::string Document::text(bool complete) const {
  Json context = context_;
  context["shopmark"] = ours_;
  context["shopmark"]["complete"] = complete;
  std::string text = "{\n  \"context\": " + text_at(context, 2) + ",\n  \"benchmarks\": [";
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += entries_[i];
  }
  text += entries_.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

}  // namespace shopmark::bench
