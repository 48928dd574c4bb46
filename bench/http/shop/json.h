// JSON straight out of the shop's result types: a type's members under their names, an absent value
// as null, a state by its name. Nothing is built up in between, so a product page takes a few
// microseconds.

#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fixtures/store/cart.h"
#include "fixtures/store/members.h"

namespace shopmark::http {

// none, applied, unknown, not_running, below_minimum, used_up, nothing_in_scope.
std::string_view name_of(store::CouponState state);

class JsonWriter {
 public:
  JsonWriter() : writer_(buffer_) {}

  void begin_object() { writer_.StartObject(); }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void end_array() { writer_.EndArray(); }
  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }

  void value(bool it) { writer_.Bool(it); }
  void value(std::int64_t it) { writer_.Int64(it); }
  void value(std::string_view it) {
    writer_.String(it.data(), static_cast<rapidjson::SizeType>(it.size()));
  }
  void value(const std::string& it) { value(std::string_view(it)); }
  void value(const char* it) { value(std::string_view(it)); }
  void value(std::nullopt_t) { writer_.Null(); }
  template <typename T>
  requires std::is_enum_v<T>
  void value(T it) { value(name_of(it)); }
  template <typename T>
  void value(const std::optional<T>& it) {
    it ? value(*it) : void(writer_.Null());
  }
  template <typename T>
  void value(const std::vector<T>& rows) {
    begin_array();
    for (const T& row : rows) value(row);
    end_array();
  }
  template <store::HasMembers T>
  void value(const T& row) {
    begin_object();
    members(row);
    end_object();
  }

  // Into an object that was begun.
  template <store::HasMembers T>
  void members(const T& row) {
    store::for_each_member<T>([&](const char* name, auto at) { member(name, row.*at); });
  }
  template <typename T>
  void member(std::string_view name, const T& it) {
    key(name);
    value(it);
  }
  // A text that is JSON already.
  void raw_member(std::string_view name, std::string_view json) {
    key(name);
    writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  }

  // What was written; the next is begun anew, in the same memory.
  std::string take() {
    std::string text(buffer_.GetString(), buffer_.GetSize());
    clear();
    return text;
  }
  void clear() {
    buffer_.Clear();
    writer_.Reset(buffer_);
  }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

}  // namespace shopmark::http
