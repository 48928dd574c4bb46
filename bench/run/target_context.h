// What a reader of figures has to know of where they were measured.

#pragma once

#include <nlohmann/json.hpp>

#include "fixtures/engine/engine.h"
#include "fixtures/load/load.h"

namespace shopmark::bench {

// engine, version, profile, seed, clock, data_digest, transport, isolation, durability and
// settings; README.md says what each means.
nlohmann::ordered_json target_context(const load::StoreMark& mark, const engine::EngineInfo& info);

}  // namespace shopmark::bench
