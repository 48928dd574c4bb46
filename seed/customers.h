// Customers, their addresses, and who places an order.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seed/generator.h"
#include "seed/rng.h"
#include "seed/row_writer.h"

namespace shopmark::seed {

struct Person {
  std::string name;
  std::string email;
  std::size_t country = 0;  // of kCountries
};

struct Address {
  std::size_t country = 0;  // of kCountries
  std::string line1;
  std::string_view city;
  std::string_view region;  // empty: none
  std::string postcode;
};

// Immutable; nothing in it grows with the profile.
class Customers {
 public:
  Customers(const Profile& profile, std::uint64_t seed);

  // Customer `index` from 0; the id is one more.
  void customer(std::int64_t index, Person& person) const;
  // Somebody without an account, by the order.
  void guest(std::int64_t order, Person& person) const;

  std::int64_t address_count(std::int64_t index) const;
  // Position from 1; there is a first one even for a customer who has saved none.
  void customer_address(std::int64_t index, std::int64_t position, std::size_t home,
                        Address& address) const;
  void guest_address(std::int64_t order, std::size_t home, Address& address) const;

  // How many customers, the first ones, may place order `order`: those who are there by then.
  std::int64_t known_at(std::int64_t order) const;
  std::int64_t created_at(std::int64_t index) const;

  void write(std::int64_t index, RowWriter& writer) const;

 private:
  void person(Draws& draws, std::string_view mark, std::int64_t number, Person& person) const;
  void write_auth(std::int64_t index, std::int64_t created, RowWriter& writer) const;
  void write_addresses(std::int64_t index, const Person& person, RowWriter& writer) const;

  std::int64_t customers_;
  std::int64_t orders_;
  std::uint64_t seed_;
  std::int64_t first_customers_;  // who were there when the shop opened
  Permutation auth_;
  Permutation address_counts_;
  // The names as an e-mail address writes them.
  std::vector<std::string> first_names_;
  std::vector<std::string> last_names_;
};

}  // namespace shopmark::seed
