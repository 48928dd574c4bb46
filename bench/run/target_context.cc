#include "bench/run/target_context.h"

#include "fixtures/engine/parity.h"

namespace shopmark::bench {

nlohmann::ordered_json target_context(const load::StoreMark& mark, const engine::EngineInfo& info) {
  nlohmann::ordered_json target;
  target["engine"] = info.engine;
  target["version"] = info.version;
  target["profile"] = mark.profile;
  target["seed"] = mark.seed;
  target["clock"] = mark.clock;
  target["data_digest"] = mark.data_digest;
  target["transport"] = engine::transport(info);
  target["isolation"] = engine::isolation(info);
  target["durability"] = engine::to_string(engine::durability(info));
  target["settings"] = info.settings;
  return target;
}

}  // namespace shopmark::bench
