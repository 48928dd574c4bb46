// The JSON Schema of what JsonWriter makes of a result type, from the same visitors.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/http/shop/json.h"

namespace shopmark::http {

namespace schema_detail {

template <typename T>
struct SchemaOf;

template <typename T>
void plain_type(JsonWriter& json, bool may_be_null) {
  const char* name = "string";
  if constexpr (std::is_same_v<T, bool>) {
    name = "boolean";
  } else if constexpr (std::is_integral_v<T>) {
    name = "integer";
  }
  json.key("type");
  if (may_be_null) {
    json.value(std::vector<std::string>{name, "null"});
  } else {
    json.value(name);
  }
}

template <typename T>
struct SchemaOf {
  static void write(JsonWriter& json) {
    json.begin_object();
    if constexpr (store::HasMembers<T>) {
      std::vector<std::string> names;
      json.member("type", "object");
      json.key("properties");
      json.begin_object();
      store::for_each_member<T>([&](const char* name, auto at) {
        using Member = std::remove_cvref_t<decltype(std::declval<T>().*at)>;
        names.emplace_back(name);
        json.key(name);
        SchemaOf<Member>::write(json);
      });
      json.end_object();
      json.member("required", names);
      json.member("additionalProperties", false);
    } else {
      plain_type<T>(json, false);
    }
    json.end_object();
  }
};

template <typename T>
struct SchemaOf<std::optional<T>> {
  static_assert(!store::HasMembers<T>);
  static void write(JsonWriter& json) {
    json.begin_object();
    plain_type<T>(json, true);
    json.end_object();
  }
};

template <typename T>
struct SchemaOf<std::vector<T>> {
  static void write(JsonWriter& json) {
    json.begin_object();
    json.member("type", "array");
    json.key("items");
    SchemaOf<T>::write(json);
    json.end_object();
  }
};

}  // namespace schema_detail

template <typename T>
std::string json_schema() {
  JsonWriter json;
  schema_detail::SchemaOf<T>::write(json);
  return json.take();
}

}  // namespace shopmark::http
