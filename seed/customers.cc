#include "seed/customers.h"

#include <algorithm>

#include "seed/calendar.h"
#include "seed/search_words.h"
#include "seed/text.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

// Shares are counted in customers of 25,000, so that `standard` has exactly these numbers.
constexpr std::int64_t kWhole = 25000;
constexpr std::int64_t kWithPassword = 9945;
constexpr Share kAddressShares[] = {{2000, 0}, {16000, 1}, {5729, 2}, {1271, 3}};

std::vector<std::string> for_mail(Words names) {
  std::vector<std::string> result;
  for (const std::string_view name : names) {
    std::string& folded = result.emplace_back();
    for (const std::string& word : search_words(name)) folded += word.substr(2);
  }
  return result;
}

void make_address(Draws& draws, std::size_t home, Address& address) {
  std::int64_t total = 0;
  for (const CountryWords& country : kCountries) total += country.weight;
  address.country = home;
  if (draws.chance(400)) {
    std::int64_t rest = draws.below(total);
    address.country = 0;
    while (rest >= kCountries[address.country].weight) rest -= kCountries[address.country++].weight;
  }
  const CountryWords& country = kCountries[address.country];
  address.line1.clear();
  const std::int64_t house = draws.between(1, 180);
  append_all(address.line1, draws.pick(kStreets), " ", house);
  address.city = draws.pick(country.cities);
  address.region = country.regions.empty() ? std::string_view() : draws.pick(country.regions);
  address.postcode.clear();
  for (const char c : country.postcode) {
    address.postcode.push_back(c == '0'   ? static_cast<char>('0' + draws.below(10))
                               : c == 'A' ? static_cast<char>('A' + draws.below(26))
                                          : c);
  }
}

}  // namespace

Customers::Customers(const Profile& profile, std::uint64_t seed)
    : customers_(profile.customers),
      orders_(profile.orders),
      seed_(seed),
      first_customers_(profile.customers / 5),
      auth_(seed, Stream::kCustomerAuth, profile.customers),
      address_counts_(seed, Stream::kAddressCount, profile.customers),
      first_names_(for_mail(kFirstNames)),
      last_names_(for_mail(kLastNames)) {}

void Customers::person(Draws& draws, std::string_view mark, std::int64_t number,
                       Person& person) const {
  const auto first =
      static_cast<std::size_t>(draws.skewed(static_cast<std::int64_t>(first_names_.size())));
  const auto last =
      static_cast<std::size_t>(draws.skewed(static_cast<std::int64_t>(last_names_.size())));
  person.name.clear();
  append_all(person.name, kFirstNames[first], " ", kLastNames[last]);
  constexpr std::string_view kSeparators[] = {".", ".", ".", "_", "-"};
  const std::string_view domain = draws.pick(kMailDomains);
  person.email.clear();
  append_all(person.email, first_names_[first], draws.pick(kSeparators), last_names_[last], mark,
             number, "@", domain);
  std::int64_t total = 0;
  for (const CountryWords& country : kCountries) total += country.weight;
  std::int64_t rest = draws.below(total);
  person.country = 0;
  while (rest >= kCountries[person.country].weight) rest -= kCountries[person.country++].weight;
}

void Customers::customer(std::int64_t index, Person& to) const {
  Draws draws(seed_, Stream::kCustomer, index);
  person(draws, "", index + 1, to);
}

void Customers::guest(std::int64_t order, Person& to) const {
  Draws draws(seed_, Stream::kCustomer, -1 - order);
  person(draws, ".g", order + 1, to);
}

std::int64_t Customers::address_count(std::int64_t index) const {
  return count_at(kAddressShares, address_counts_.quantile(index, kWhole));
}

void Customers::customer_address(std::int64_t index, std::int64_t position, std::size_t home,
                                 Address& address) const {
  Draws draws(seed_, Stream::kAddress, index * 4 + position);
  make_address(draws, home, address);
}

void Customers::guest_address(std::int64_t order, std::size_t home, Address& address) const {
  Draws draws(seed_, Stream::kAddress, -1 - order);
  make_address(draws, home, address);
}

std::int64_t Customers::known_at(std::int64_t order) const {
  return first_customers_ + (customers_ - first_customers_) * (order + 1) / orders_;
}

std::int64_t Customers::created_at(std::int64_t index) const {
  Draws draws(seed_, Stream::kCustomerRows, index);
  if (index < first_customers_) {
    const std::int64_t beginning = day_start(2021, 6, 1);
    return beginning + draws.below(kOpening - beginning);
  }
  // Shortly before the first order that known_at lets them place: the smallest `order` with
  // later * (order + 1) >= place * orders.
  const std::int64_t later = customers_ - first_customers_;
  const std::int64_t place = index - first_customers_ + 1;
  const std::int64_t order = (place * orders_ + later - 1) / later - 1;
  return placed_at(seed_, order, orders_) - draws.below(2 * kHour);
}

void Customers::write(std::int64_t index, RowWriter& writer) const {
  constexpr std::string_view kLocales[] = {"de",    "fr",    "en-GB", "nl", "es",   "en-CA",
                                           "en-US", "de-AT", "de-CH", "ja", "en-AU"};
  Person person;
  customer(index, person);
  const std::int64_t created = created_at(index);
  Draws draws(seed_, Stream::kCustomerRows, -1 - index);
  std::string phone;
  const auto phone_kind = draws.below(100);
  if (phone_kind >= 40) {
    append(phone, kCountries[person.country].phone);
    append_padded(phone, draws.below(10'000'000), 7);
  }
  const auto note_kind = draws.below(100);
  const std::string_view note = draws.pick(kCustomerNotes);
  writer.add(TableId::kCustomers,
             {index + 1, person.email, person.name, phone_kind < 35 ? Cell() : Cell(phone),
              kLocales[person.country], draws.chance(4200) ? 1 : 0,
              note_kind < 88   ? Cell()
              : note_kind < 92 ? Cell("")
                               : Cell(note),
              created});
  write_auth(index, created, writer);
  write_addresses(index, person, writer);
}

void Customers::write_auth(std::int64_t index, std::int64_t created, RowWriter& writer) const {
  if (auth_.quantile(index, kWhole) >= kWithPassword) return;
  Draws draws(seed_, Stream::kCustomerAuth, index);
  std::string hash = "$argon2id$v=19$m=65536,t=3,p=4$";
  append_hex(hash, draws.next());
  hash.push_back('$');
  append_hex(hash, draws.next());
  append_hex(hash, draws.next());
  const std::int64_t failed = draws.chance(300) ? draws.between(1, 4) : 0;
  const Cell last_login =
      draws.chance(1500) ? Cell() : Cell(created + draws.below(kClock - created + 1));
  writer.add(TableId::kCustomerAuth, {index + 1, hash, failed, last_login});
}

void Customers::write_addresses(std::int64_t index, const Person& person, RowWriter& writer) const {
  Address address;
  std::string line2;
  const std::int64_t count = address_count(index);
  for (std::int64_t position = 1; position <= count; ++position) {
    customer_address(index, position, person.country, address);
    const std::int64_t id = (index + 1) * 4 + position - 1;
    Draws draws(seed_, Stream::kAddressCount, id);
    const auto kind = draws.below(100);
    line2.clear();
    if (kind >= 85) append_all(line2, "Floor ", draws.between(1, 12));
    writer.add(TableId::kAddresses, {id, index + 1, position, person.name, address.line1,
                                     kind < 75 ? Cell() : Cell(line2), address.city,
                                     address.region.empty() ? Cell() : Cell(address.region),
                                     address.postcode, kCountries[address.country].code});
  }
}

}  // namespace shopmark::seed
