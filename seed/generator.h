// The deterministic store: every row a pure function of (profile, seed, table, index). No clock, no
// random source, no floating point, no container whose order another library may choose.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "seed/rows.h"

namespace shopmark::seed {

inline constexpr std::uint64_t kDefaultSeed = 20260830;
// The moment at which the store stands, Unix seconds: 2026-08-30 00:00 UTC. Nothing in it is later
// but the ends of sales, coupons and grants.
inline constexpr std::int64_t kClock = 1788048000;

struct Profile {
  std::string name;
  std::int64_t products = 0;
  std::int64_t customers = 0;
  std::int64_t orders = 0;
  // Of all its data (seed/digest.h) with the default seed, so that a store made by another version
  // of the generator is told apart without making it. Empty for a profile that is not ours.
  std::string data_digest = {};
};

// smoke, standard, million. Throws std::invalid_argument that names the known ones.
const Profile& profile(std::string_view name);
const std::vector<Profile>& profiles();

// A family is made together because its tables share a parent: an order's rows are one order's.
enum class Family { kConfiguration, kProducts, kCustomers, kOrders };
inline constexpr Family kFamilies[] = {Family::kConfiguration, Family::kProducts,
                                       Family::kCustomers, Family::kOrders};

// Immutable; may be shared by threads. Keeps references to the schema.
class Generator {
 public:
  Generator(const schema::Schema& schema, Profile profile, std::uint64_t seed = kDefaultSeed);

  const Profile& profile() const { return profile_; }
  std::uint64_t seed() const { return seed_; }

  // How many parents a family has; the configuration is one.
  std::int64_t size(Family family) const;

  // Writes the rows of parents [first, last) of a family and of their children to the sink, in
  // batches of one table each. Memory does not depend on the range.
  void generate(Family family, std::int64_t first, std::int64_t last, RowSink& sink) const;
  // All of it, family after family.
  void generate_all(RowSink& sink) const;

 private:
  struct Shop;

  Profile profile_;
  std::uint64_t seed_;
  std::shared_ptr<const Shop> shop_;
};

}  // namespace shopmark::seed
