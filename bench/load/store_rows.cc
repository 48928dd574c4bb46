#include "bench/load/store_rows.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "schema/schema.h"
#include "seed/rng.h"
#include "seed/search_words.h"
#include "seed/words.h"

namespace shopmark::drive {

namespace {

// Deep pages need a second page to be asked for.
constexpr std::size_t kFewestFiltered = 2 * kProductsOnPage + 1;
constexpr std::size_t kMostFiltered = 256;
constexpr std::size_t kMostSearches = 256;
constexpr std::int64_t kPlenty = 50;

// A row's cells by the names of its table's columns.
class Columns {
 public:
  explicit Columns(const schema::Table& table) : table_(table) {}
  std::size_t operator[](std::string_view name) const {
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      if (table_.columns[i].name == name) return i;
    }
    throw schema::SchemaError("table " + table_.name + " has no column " + std::string(name));
  }

 private:
  const schema::Table& table_;
};

using Row = const seed::Cell*;

// Calls a function for each row of the tables that have one.
class Tables : public seed::RowSink {
 public:
  // `columns` of the table, in that order, are what `take` is given.
  void on(const std::string& table, std::vector<std::string_view> columns,
          std::function<void(Row)> take) {
    readers_[table] = {std::move(columns), std::move(take)};
  }

  void write(const seed::Batch& batch) override {
    const auto found = readers_.find(batch.table().name);
    if (found == readers_.end()) return;
    const Columns columns(batch.table());
    std::vector<std::size_t> places;
    for (const std::string_view name : found->second.columns) places.push_back(columns[name]);
    std::vector<seed::Cell> cells(places.size());
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      for (std::size_t j = 0; j < places.size(); ++j) cells[j] = batch.row(i)[places[j]];
      found->second.take(cells.data());
    }
  }

 private:
  struct Reader {
    std::vector<std::string_view> columns;
    std::function<void(Row)> take;
  };
  std::map<std::string, Reader, std::less<>> readers_;
};

std::string text_of(const seed::Cell& cell) { return std::string(cell.text()); }

using Indexes = std::vector<std::uint32_t>;

// Choices of a filter: what a query says of each, and which products it leaves.
class Choices {
 public:
  std::uint32_t of(const std::string& query) {
    const auto [at, added] = by_query_.try_emplace(query, queries_.size());
    if (added) queries_.push_back(query);
    return at->second;
  }
  const std::string& query(std::uint32_t choice) const { return queries_[choice]; }
  std::size_t size() const { return queries_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> by_query_;
  std::vector<std::string> queries_;
};

std::string pair_query(std::string_view name, std::string_view value) {
  std::string query(name);
  query += '=';
  append_encoded(query, value);
  return query;
}

std::string pair_query(std::string_view name, std::string_view key, std::string_view value) {
  return pair_query(name, std::string(key).append(":").append(value));
}

struct Seen {
  std::int64_t id = 0;
  std::int64_t popularity = 0;
  bool physical = false;
  std::string slug;
  std::string name;
  std::string search_words;
};

class Reader {
 public:
  explicit Reader(const seed::Profile& profile)
      : schema_(schema::read_schema(schema::default_folder())), generator_(schema_, profile) {
    rows_.profile = profile.name;
    rows_.orders = profile.orders;
  }

  StoreRows read() {
    read_configuration();
    read_products();
    read_people();
    rows_.catalog.target = "/catalog";
    rows_.catalog.products.resize(rows_.products.size());
    std::iota(rows_.catalog.products.begin(), rows_.catalog.products.end(), 0U);
    make_category_pages();
    make_filtered();
    make_searches();
    return std::move(rows_);
  }

 private:
  void read_configuration();
  void read_products();
  void read_people();
  void rank_products(std::vector<Seen> seen);
  void make_category_pages();
  void make_filtered();
  void make_searches();

  static constexpr std::uint32_t kUnseen = 0xFFFFFFFF;

  schema::Schema schema_;
  seed::Generator generator_;
  StoreRows rows_;
  std::map<std::int64_t, std::string> categories_;  // slugs by id
  std::map<std::int64_t, std::string> tags_;
  std::map<std::int64_t, std::string> attributes_;  // codes by id
  Choices choices_;
  std::vector<std::uint32_t> rank_of_;                  // by product id
  std::vector<std::vector<std::uint32_t>> choices_of_;  // by rank, each once
  std::vector<Indexes> products_of_;                    // by choice
  std::vector<std::string> names_;                      // by rank
  std::vector<bool> physical_;                          // by rank
  std::unordered_map<std::string, Indexes> with_word_;
};

void Reader::read_configuration() {
  Tables tables;
  std::string reached;
  std::set<std::int64_t> scoped;
  struct Coupon {
    std::int64_t id;
    std::string code;
  };
  std::vector<Coupon> coupons;
  tables.on("categories", {"id", "slug"},
            [&](Row row) { categories_[row[0].integer()] = text_of(row[1]); });
  tables.on("tags", {"id", "slug"}, [&](Row row) { tags_[row[0].integer()] = text_of(row[1]); });
  tables.on("attributes", {"id", "code"},
            [&](Row row) { attributes_[row[0].integer()] = text_of(row[1]); });
  tables.on("shipping_zones", {"countries"},
            [&](Row row) { reached.append(row[0].text()).append(" "); });
  tables.on("coupon_scopes", {"coupon_id"}, [&](Row row) { scoped.insert(row[0].integer()); });
  tables.on(
      "coupons",
      {"id", "code", "kind", "min_subtotal_cents", "usage_limit", "starts_at", "ends_at", "active"},
      [&](Row row) {
        if (row[2].text() == "percent" && row[3].integer() == 0 && row[4].is_null() &&
            row[5].integer() <= seed::kClock && row[6].is_null() && row[7].integer() == 1) {
          coupons.push_back({row[0].integer(), text_of(row[1])});
        }
      });
  generator_.generate(seed::Family::kConfiguration, 0, 1, tables);
  rows_.categories = static_cast<std::int64_t>(categories_.size());
  for (std::size_t i = 0; i < seed::kCountries.size(); ++i) {
    const std::string code = std::string(seed::kCountries[i].code) + " ";
    if (reached.find(code) != std::string::npos) rows_.countries.push_back(i);
  }
  for (const Coupon& coupon : coupons) {
    if (rows_.coupon.empty() && scoped.count(coupon.id) == 0) rows_.coupon = coupon.code;
  }
}

void Reader::read_products() {
  struct Chosen {
    std::int64_t product;
    std::uint32_t choice;
  };
  struct Variant {
    std::int64_t id, product, position, stock;
  };
  std::vector<Seen> seen;
  std::vector<Chosen> chosen;
  std::vector<Variant> variants;
  std::unordered_map<std::int64_t, std::pair<std::int64_t, std::string>> options;
  std::vector<std::pair<std::int64_t, std::string>> values;
  Tables tables;
  tables.on("products",
            {"id", "popularity", "kind", "slug", "name", "search_words", "status", "published_at"},
            [&](Row row) {
              if (row[6].text() != "active" || row[7].integer() > seed::kClock) return;
              seen.push_back({row[0].integer(), row[1].integer(), row[2].text() == "physical",
                              text_of(row[3]), text_of(row[4]), text_of(row[5])});
            });
  tables.on("variants", {"id", "product_id", "position", "stock"}, [&](Row row) {
    variants.push_back({row[0].integer(), row[1].integer(), row[2].integer(), row[3].integer()});
  });
  tables.on("product_categories", {"product_id", "category_id"}, [&](Row row) {
    chosen.push_back(
        {row[0].integer(), choices_.of(pair_query("category", categories_[row[1].integer()]))});
  });
  tables.on("product_tags", {"product_id", "tag_id"}, [&](Row row) {
    chosen.push_back({row[0].integer(), choices_.of(pair_query("tag", tags_[row[1].integer()]))});
  });
  tables.on("product_attributes", {"product_id", "attribute_id", "value"}, [&](Row row) {
    chosen.push_back(
        {row[0].integer(),
         choices_.of(pair_query("attribute", attributes_[row[1].integer()], row[2].text()))});
  });
  tables.on("product_options", {"id", "product_id", "name"}, [&](Row row) {
    options[row[0].integer()] = {row[1].integer(), text_of(row[2])};
  });
  tables.on("product_option_values", {"option_id", "value"},
            [&](Row row) { values.emplace_back(row[0].integer(), text_of(row[1])); });
  generator_.generate(seed::Family::kProducts, 0, generator_.size(seed::Family::kProducts), tables);
  for (const auto& [option, value] : values) {
    const auto& [product, name] = options.at(option);
    chosen.push_back({product, choices_.of(pair_query("option", name, value))});
  }

  rank_products(std::move(seen));
  const auto rank_of = [&](std::int64_t product) {
    return rank_of_[static_cast<std::size_t>(product)];
  };
  for (const Variant& variant : variants) {
    const std::uint32_t rank = rank_of(variant.product);
    if (rank == kUnseen) continue;
    ProductRow& product = rows_.products[rank];
    ++product.variants;
    if (variant.position == 1) product.first_variant = variant.id;
  }
  for (const Chosen& one : chosen) {
    const std::uint32_t rank = rank_of(one.product);
    if (rank != kUnseen) choices_of_[rank].push_back(one.choice);
  }
  products_of_.resize(choices_.size());
  for (std::uint32_t rank = 0; rank < choices_of_.size(); ++rank) {
    std::vector<std::uint32_t>& its = choices_of_[rank];
    std::sort(its.begin(), its.end());
    its.erase(std::unique(its.begin(), its.end()), its.end());
    for (const std::uint32_t choice : its) products_of_[choice].push_back(rank);
  }
  for (const Variant& variant : variants) {
    const std::uint32_t rank = rank_of(variant.product);
    // Of what is not physical there is no end.
    if (rank != kUnseen && physical_[rank] && variant.stock >= kPlenty) {
      rows_.stocked.push_back({variant.id, variant.product});
    }
  }
}

void Reader::rank_products(std::vector<Seen> seen) {
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) {
    return a.popularity != b.popularity ? a.popularity > b.popularity : a.id < b.id;
  });
  rank_of_.assign(static_cast<std::size_t>(generator_.size(seed::Family::kProducts)) + 1, kUnseen);
  choices_of_.resize(seen.size());
  for (std::uint32_t rank = 0; rank < seen.size(); ++rank) {
    Seen& product = seen[rank];
    rank_of_[static_cast<std::size_t>(product.id)] = rank;
    physical_.push_back(product.physical);
    names_.push_back(std::move(product.name));
    rows_.by_slug.emplace(product.slug, rank);
    rows_.products.push_back({product.id, std::move(product.slug), 0, 0});
    const std::string_view text = product.search_words;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      Indexes& found = with_word_[std::string(text.substr(begin, end - begin))];
      if (end > begin && (found.empty() || found.back() != rank)) found.push_back(rank);
      begin = end + 1;
    }
  }
}

void Reader::read_people() {
  Tables tables;
  tables.on("orders", {"number", "id", "total_cents", "email"}, [&](Row row) {
    rows_.last_orders.push_back(
        {text_of(row[0]), row[1].integer(), row[2].integer(), text_of(row[3])});
  });
  tables.on("customers", {"email"}, [&](Row row) { rows_.customers.push_back(text_of(row[0])); });
  const auto read_last = [&](seed::Family family, std::int64_t most) {
    const std::int64_t size = generator_.size(family);
    generator_.generate(family, std::max<std::int64_t>(0, size - most), size, tables);
  };
  read_last(seed::Family::kOrders, kSampledOrders);
  read_last(seed::Family::kCustomers, kSampledCustomers);
}

void Reader::make_category_pages() {
  for (const auto& [id, slug] : categories_) {
    (void)id;
    const std::uint32_t choice = choices_.of(pair_query("category", slug));
    if (choice >= products_of_.size() || products_of_[choice].empty()) continue;
    std::string target = "/categories/";
    append_encoded(target, slug);
    rows_.category_pages.push_back({std::move(target), slug, products_of_[choice]});
  }
}

// At most `most`, taken evenly.
template <typename T>
void thin_out(std::vector<T>& list, std::size_t most) {
  if (list.size() <= most) return;
  for (std::size_t i = 0; i < most; ++i) std::swap(list[i], list[i * list.size() / most]);
  list.resize(most);
}

void Reader::make_filtered() {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> together;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;  // equal: one choice alone
  for (const std::vector<std::uint32_t>& its : choices_of_) {
    for (const std::uint32_t first : its) {
      if (!choices_.query(first).starts_with("category=")) continue;
      for (const std::uint32_t second : its) {
        if (!choices_.query(second).starts_with("category=")) ++together[{first, second}];
      }
    }
  }
  for (const auto& [pair, products] : together) {
    if (products >= kFewestFiltered) wanted.push_back(pair);
  }
  // A small store has few pairs of several pages.
  const bool few = wanted.size() < kMostFiltered / 4;
  for (std::uint32_t choice = 0; few && choice < products_of_.size(); ++choice) {
    if (products_of_[choice].size() >= kFewestFiltered) wanted.emplace_back(choice, choice);
  }
  thin_out(wanted, kMostFiltered);
  for (const auto& [first, second] : wanted) {
    ListingRow listing;
    listing.target = "/catalog?" + choices_.query(first);
    if (second != first) listing.target += '&' + choices_.query(second);
    std::set_intersection(products_of_[first].begin(), products_of_[first].end(),
                          products_of_[second].begin(), products_of_[second].end(),
                          std::back_inserter(listing.products));
    rows_.filtered.push_back(std::move(listing));
  }
}

// Words of products' names, one or two that follow one another, as shoppers might type them.
void Reader::make_searches() {
  std::set<std::string> asked;
  const std::size_t step = std::max<std::size_t>(1, names_.size() / (2 * kMostSearches));
  for (std::size_t rank = 0; rank < names_.size() && asked.size() < kMostSearches; rank += step) {
    const std::string& name = names_[rank];
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin < name.size();) {
      const std::size_t end = std::min(name.find(' ', begin), name.size());
      if (end > begin) words.push_back(name.substr(begin, end - begin));
      begin = end + 1;
    }
    seed::Draws draws(rank, seed::Stream::kProductText, 0);
    const auto first =
        static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(words.size())));
    std::string text = words[first];
    if (draws.chance(5000) && first + 1 < words.size()) text += ' ' + words[first + 1];
    const std::vector<std::string> looked_for = seed::search_words(text);
    if (looked_for.empty() || !asked.insert(text).second) continue;
    ListingRow listing{"/search?" + pair_query("q", text), text, with_word_[looked_for[0]]};
    for (const std::string& word : looked_for) {
      Indexes both;
      const Indexes& its = with_word_[word];
      std::set_intersection(listing.products.begin(), listing.products.end(), its.begin(),
                            its.end(), std::back_inserter(both));
      listing.products = std::move(both);
    }
    if (!listing.products.empty()) rows_.searches.push_back(std::move(listing));
  }
}

}  // namespace

StoreRows read_store_rows(const seed::Profile& profile) { return Reader(profile).read(); }

void append_encoded(std::string& to, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      to += c;
    } else {
      to += '%';
      to += kDigits[byte >> 4];
      to += kDigits[byte & 15];
    }
  }
}

}  // namespace shopmark::drive
