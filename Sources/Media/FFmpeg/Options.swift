// SPDX-License-Identifier: Apache-2.0

import CPlayheadFFmpeg

/// Named options for FFmpeg's functions that open an object.
///
/// - Ownership: the structure owns its dictionary, unless `release` has transferred it.
/// - Corresponds to: `AVDictionary`.
struct Options: ~Copyable {
    var pointer: OpaquePointer?

    init() {}
    deinit {
        var pointer = pointer
        av_dict_free(&pointer)
    }

    subscript(name: String) -> String? {
        get { av_dict_get(pointer, name, nil, 0).flatMap { String(cString: $0.pointee.value) } }
        set { av_dict_set(&pointer, name, newValue, 0) }
    }

    /// Transfers the dictionary to the caller, which must free it with `av_dict_free`.
    consuming func release() -> OpaquePointer? {
        let released = pointer
        pointer = nil
        return released
    }

    /// Returns all entries of a dictionary that another object owns, in order.
    static func entries(of dictionary: OpaquePointer?) -> [(key: String, value: String)] {
        var entries: [(key: String, value: String)] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            entries.append(
                (String(cString: next.pointee.key), String(cString: next.pointee.value)))
            entry = next
        }
        return entries
    }

    /// Access by name to the entries of a dictionary that another object owns.
    struct Values {
        private let values: [String: String]

        init(_ dictionary: OpaquePointer?) {
            values = Dictionary(
                Options.entries(of: dictionary).map { ($0.key, $0.value) },
                uniquingKeysWith: { $1 })
        }

        subscript(name: String) -> String? { values[name] }
    }
}
