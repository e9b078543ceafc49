// SPDX-License-Identifier: Apache-2.0

import PlayheadJSON
import Testing

/// The limit of the values in a JSON file, each of which takes much more memory than its text.
@Suite struct JSONLimitTests {
    private func parse(_ text: String, maximum: Int) throws -> JSONValue {
        var options = JSONParser.Options()
        options.maximumValues = maximum
        options.skippedMembers = ["metadata"]
        return try JSONParser.parse(Array(text.utf8), options: options)
    }

    @Test func `values beyond the maximum are refused at their place`() throws {
        #expect(try parse("[1, 2, {}]", maximum: 4).array?.count == 3)
        let error = #expect(throws: JSONParser.Failure.self) {
            try parse("[1, 2,\n {}, 3]", maximum: 4)
        }
        #expect(error?.line == 2 && error?.column == 6)
        #expect(error?.reason == "more than 4 values")
        #expect(throws: JSONParser.Failure.self) { try parse(#"{"a": {"b": 1}}"#, maximum: 2) }
    }

    @Test func `members that are not stored count while they are read`() throws {
        let text = #"[{"metadata": [1, 2, 3, 4]}, {"metadata": [1, 2, 3, 4]}]"#
        #expect(try parse(text, maximum: 8).array?.count == 2)
        #expect(throws: JSONParser.Failure.self) { try parse(text, maximum: 6) }
    }
}
