// SPDX-License-Identifier: Apache-2.0

/// An element in the text of a WebVTT cue, such as `<v.loud Mary>`, or the whole text.
///
/// - Concurrency: a value; any thread.
struct WebVTTElement {
    /// The name of the tag; empty for the whole text.
    var name: Substring = ""
    var classes: [Substring] = []
    /// The name of the voice or the language.
    var annotation: Substring = ""
    /// The identifier of the cue; empty for elements within its text.
    var identifier: Substring = ""

    private static let names: Set<Substring> = ["c", "i", "b", "u", "ruby", "rt", "v", "lang"]
    /// The maximum number of classes that count.
    private static let maximumClasses = 16

    /// The whole text of a cue.
    init(identifier: Substring) { self.identifier = identifier }

    /// Parses the contents of a tag. Fails for times and unknown tags.
    init?(tag: Substring) {
        let head = tag.prefix { !$0.isWhitespace }
        let parts = head.split(
            separator: ".", maxSplits: Self.maximumClasses, omittingEmptySubsequences: false)
        guard let name = parts.first, Self.names.contains(name) else { return nil }
        self.name = name
        classes = parts.dropFirst().filter { !$0.isEmpty }
        annotation = tag[head.endIndex...].drop(while: \.isWhitespace)
        while annotation.last?.isWhitespace == true { annotation.removeLast() }
    }
}
