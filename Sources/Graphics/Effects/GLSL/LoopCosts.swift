// SPDX-License-Identifier: Apache-2.0

/// How often the loops of a shader turn with those in them, and in the functions that they call.
struct LoopCosts {
    /// Of each loop.
    private(set) var turns: [Double]

    /// Functions that call functions that call functions: deeper is hostile, or no shader.
    private static let maximumDepth = 128

    /// A function with a body, or the rest of the text.
    private struct Function {
        let body: Range<Int>
        var loops: [Int] = []
        /// What it calls outside of loops.
        var calls: Set<String> = []
    }

    private let loops: [ShaderLoop]
    private var functions: [Function] = []
    private var functionsByName: [String: [Int]] = [:]
    private var macros: [String: Set<String>] = [:]
    /// The loop in which each is.
    private var parents: [Int?]
    /// What each calls outside of those in it.
    private var calls: [Set<String>]
    private var known: [String: Double] = [:]

    /// - Parameter loops: sorted by their places.
    init(_ loops: [ShaderLoop], in code: [ShaderToken], _ facts: LoopFacts) {
        self.loops = loops
        turns = loops.map { $0.turns ?? 1 }
        parents = loops.map { _ in nil }
        calls = loops.map { _ in [] }
        findFunctions(code)
        for macro in facts.macros {
            let names = macro.tokens[macro.body].lazy.filter(\.isName).map(\.text)
            macros[macro.name, default: []].formUnion(names)
        }
        place(code)
        for index in functions.indices { _ = evaluate(index, depth: 0) }
    }

    private mutating func findFunctions(_ code: [ShaderToken]) {
        for (index, token) in code.enumerated() where token.text == "{" && token.enclosing == nil {
            guard code.text(index - 1) == ")", let open = code[index - 1].partner,
                code.isName(open - 1), let end = token.partner
            else { continue }
            let name = code[open - 1].text
            functionsByName[name, default: []].append(functions.count)
            functions.append(Function(body: index..<end))
        }
        functions.append(Function(body: code.count..<code.count))
    }

    /// Finds what each loop and each function has in it.
    private mutating func place(_ code: [ShaderToken]) {
        var outer: [Int] = []
        // Those in macros have no place in the code.
        var rest = loops.indices.filter { !loops[$0].body.isEmpty }[...]
        var function = 0
        for index in code.indices {
            while function + 1 < functions.count, functions[function].body.upperBound <= index {
                function += 1
            }
            let home =
                functions[function].body.contains(index) ? function : functions.count - 1
            while let last = outer.last, loops[last].body.upperBound <= index { outer.removeLast() }
            if let next = rest.first, loops[next].keyword == index {
                parents[next] = outer.last
                functions[home].loops.append(next)
                outer.append(next)
                rest.removeFirst()
                continue
            }
            let name = code[index].text
            guard functionsByName[name] != nil && code.text(index + 1) == "(" || macros[name] != nil
            else { continue }
            if let last = outer.last {
                calls[last].insert(name)
            } else {
                functions[home].calls.insert(name)
            }
        }
    }

    /// The turns of all loops of a function.
    private mutating func evaluate(_ index: Int, depth: Int) -> Double {
        var sum = functions[index].calls.reduce(0) { $0 + turns(ofCall: $1, depth: depth) }
        var inner: [Int: Double] = [:]
        for loop in functions[index].loops.reversed() {
            let called = calls[loop].reduce(0) { $0 + turns(ofCall: $1, depth: depth) }
            turns[loop] = (loops[loop].turns ?? 1) * max(1, inner[loop, default: 0] + called)
            if let parent = parents[loop] {
                inner[parent, default: 0] += turns[loop]
            } else {
                sum += turns[loop]
            }
        }
        return sum
    }

    /// The turns of all loops of what goes by a name.
    private mutating func turns(ofCall name: String, depth: Int) -> Double {
        if let turns = known[name] { return turns }
        guard functionsByName[name] != nil || macros[name] != nil else { return 0 }
        guard depth < Self.maximumDepth else { return .infinity }
        // What calls itself does not compile.
        known[name] = 0
        var turns = 0.0
        for index in functionsByName[name] ?? [] {
            turns = max(turns, evaluate(index, depth: depth + 1))
        }
        for called in macros[name] ?? [] {
            turns += self.turns(ofCall: called, depth: depth + 1)
        }
        known[name] = turns
        return turns
    }
}
