// What a case is run on.

#pragma once

#include <exception>
#include <string>

#include "fixtures/fixture.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

class Oracle;

class Subject {
 public:
  virtual ~Subject() = default;
  // Of the target, and its engine.
  virtual const std::string& name() const = 0;
  virtual const std::string& engine() const = 0;
  // The same until a call has failed. Throws when there is none to be had.
  virtual store::Store& store() = 0;
  // The same with a look at each statement; nullptr where there is no database.
  virtual ObservedStore* observed_store() = 0;
  // What it must answer; nullptr when only rows are counted.
  virtual Oracle* oracle() = 0;
  // A call of a case threw `error`. `writes`: it may have left something behind.
  virtual void call_failed(const std::exception& error, bool writes) noexcept = 0;
};

}  // namespace shopmark::bench
