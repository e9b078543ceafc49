// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// The rules of the style sheets of a WebVTT file: `::cue` with an optional selector, and the
/// properties that are drawn.
///
/// - Concurrency: one thread at a time.
/// - Corresponds to: W3C's WebVTT, 8.2; CSS Syntax Level 3. Selectors with several elements and
///   with pseudo-classes have no effect.
struct WebVTTStyles: Sendable {
    /// The elements to which a rule applies.
    private struct Selector: Sendable {
        var name: Substring?
        var classes: [Substring] = []
        var identifier: Substring?
        /// The voice or the language.
        var annotation: Substring?
        /// A Boolean value that indicates whether the rule applies to the whole text.
        var isRoot = false

        /// A number that is higher for selectors that take precedence.
        var specificity: Int {
            let attributes = classes.count + (annotation == nil ? 0 : 1)
            return (identifier == nil ? 0 : 10_000) + attributes * 100 + (name == nil ? 0 : 1)
        }

        func matches(_ element: WebVTTElement) -> Bool {
            // The whole text has no name. Only identifiers, and a selector without any, apply to
            // it.
            if element.name.isEmpty {
                return isRoot
                    || name == nil && classes.isEmpty && annotation == nil
                        && identifier == element.identifier
            }
            return !isRoot && identifier == nil && (name == nil || name == element.name)
                && (annotation == nil || annotation == element.annotation)
                && classes.allSatisfy(element.classes.contains)
        }
    }

    private struct Rule: Sendable {
        var selector: Selector
        var declarations: [Declaration]
    }

    private typealias Declaration = @Sendable (inout TextStyle) -> Void

    /// The rules, in the order in which they are applied.
    private var rules: [Rule] = []
    /// The number of comparisons, and of properties that are set, that are left.
    private var budget = 20_000_000

    /// The maximum number of rules, of declarations in a rule and of classes in a selector, and the
    /// maximum size of a style sheet in bytes.
    private static let limits = (rules: 256, declarations: 64, classes: 16, bytes: 1 << 17)

    init() {}

    /// Adds the rules of a style sheet.
    mutating func add(_ sheet: Substring) {
        guard sheet.utf8.count <= Self.limits.bytes else { return }
        var rest = Self.withoutComments(sheet)[...]
        while rules.count < Self.limits.rules, let open = rest.firstIndex(of: "{") {
            // Rules such as `@import "a";` have no block.
            let prelude = rest[..<open].split(separator: ";").last ?? ""
            rest = rest[rest.index(after: open)...]
            let block = rest.prefix { $0 != "}" }
            rest = rest[block.endIndex...].dropFirst()
            let declarations = block.split(separator: ";")
                .prefix(Self.limits.declarations).compactMap(Self.declaration)
            for text in Self.selectors(prelude) where rules.count < Self.limits.rules {
                guard let selector = Self.selector(text) else { continue }
                rules.append(Rule(selector: selector, declarations: declarations))
            }
        }
        rules = rules.enumerated().sorted {
            ($0.element.selector.specificity, $0.offset)
                < ($1.element.selector.specificity, $1.offset)
        }.map(\.element)
    }

    /// Applies the rules for an element to its style, which is that of the element around it.
    mutating func apply(to style: inout TextStyle, _ element: WebVTTElement) {
        guard budget > 0 else { return }
        for rule in rules {
            budget -= 1 + rule.selector.classes.count * element.classes.count
            guard rule.selector.matches(element) else { continue }
            budget -= rule.declarations.count
            for declaration in rule.declarations { declaration(&style) }
        }
    }

    // MARK: - Parsing

    private static func withoutComments(_ text: Substring) -> String {
        var result = ""
        var rest = text
        while let start = rest.firstRange(ofText: "/*") {
            result += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = rest.firstRange(ofText: "*/") else { return result }
            rest = rest[end.upperBound...]
        }
        return result + rest
    }

    /// Splits a list of selectors at the commas outside of parentheses.
    private static func selectors(_ list: Substring) -> [Substring] {
        var (parts, depth, start) = ([Substring](), 0, list.startIndex)
        for index in list.indices {
            switch list[index] {
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth <= 0:
                parts.append(list[start..<index])
                start = list.index(after: index)
            default: break
            }
        }
        return parts + [list[start...]]
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func selector(_ text: Substring) -> Selector? {
        guard var rest = trimmed(text).value(ofTag: "::cue") else { return nil }
        var selector = Selector()
        guard !rest.isEmpty else {
            selector.isRoot = true
            return selector
        }
        guard rest.first == "(", rest.last == ")" else { return nil }
        rest = trimmed(rest.dropFirst().dropLast())
        guard !rest.isEmpty else { return nil }
        if rest.first == "*" {
            rest = rest.dropFirst()
        } else if let name = takeName(&rest) {
            selector.name = name
        }
        while let mark = rest.popFirst() {
            switch mark {
            case ".":
                guard let name = takeName(&rest), selector.classes.count < limits.classes else {
                    return nil
                }
                selector.classes.append(name)
            case "#":
                guard let name = takeName(&rest) else { return nil }
                selector.identifier = name
            case "[":
                let attribute = rest.prefix { $0 != "]" }
                rest = rest[attribute.endIndex...].dropFirst()
                let halves = attribute.split(separator: "=", maxSplits: 1)
                guard halves.count == 2, ["voice", "lang"].contains(trimmed(halves[0])) else {
                    return nil
                }
                selector.annotation = trimmed(halves[1]).filter { !"\"'".contains($0) }[...]
            default: return nil
            }
        }
        return selector
    }

    /// Removes a name from the beginning of a text. A backslash precedes characters that would
    /// otherwise end the name.
    private static func takeName(_ text: inout Substring) -> Substring? {
        var name = ""
        while let character = text.first {
            if character == "\\" {
                text.removeFirst()
                guard let escaped = text.popFirst() else { break }
                name.append(escaped)
            } else if character.isLetter || character.isNumber || "-_".contains(character) {
                name.append(character)
                text.removeFirst()
            } else {
                break
            }
        }
        return name.isEmpty ? nil : name[...]
    }

    private static func declaration(_ text: Substring) -> Declaration? {
        let halves = text.split(separator: ":", maxSplits: 1)
        guard halves.count == 2 else { return nil }
        let value = trimmed(halves[1].prefix { $0 != "!" })
        switch trimmed(halves[0]).lowercased() {
        case "color":
            guard let color = ColorText.color(value, in: .css) else { return nil }
            return { $0.color = color }
        case "background-color", "background":
            guard let color = ColorText.color(value, in: .css) else { return nil }
            return { $0.background = color }
        case "font-weight":
            let isBold =
                ["bold", "bolder"].contains(value) || Int(value).map { $0 >= 600 } ?? false
            return { $0.isBold = isBold }
        case "font-style":
            let isItalic = value == "italic" || value.hasPrefix("oblique")
            return { $0.isItalic = isItalic }
        case "text-decoration", "text-decoration-line":
            let words = value.split(whereSeparator: \.isWhitespace)
            let (under, through) = (words.contains("underline"), words.contains("line-through"))
            return { ($0.isUnderlined, $0.isStruckOut) = (under, through) }
        default: return nil
        }
    }
}
