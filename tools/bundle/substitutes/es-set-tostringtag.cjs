// Replaces: es-set-tostringtag, with get-intrinsic and ten more packages for JavaScript engines before 2015.
// Why: form-data names its class with it, once.
// Saves: 13 kB, and 12 kB of licences.
'use strict';

module.exports = function setToStringTag(object, value) {
  Object.defineProperty(object, Symbol.toStringTag, { configurable: true, value });
};
