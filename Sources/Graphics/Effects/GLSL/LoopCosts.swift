// SPDX-License-Identifier: Apache-2.0

/// The total number of iterations of a shader's loops, including nested loops and those in called
/// functions.
struct LoopCosts {
    /// The number of iterations of each loop.
    private(set) var turns: [Double]

    /// The maximum depth of function calls.
    private static let maximumDepth = 128

    /// A function body, or the text outside of functions.
    private struct Function {
        let body: Range<Int>
        var loops: [Int] = []
        /// The functions that are called outside of loops.
        var calls: Set<String> = []
    }

    private let loops: [ShaderLoop]
    private var functions: [Function] = []
    private var functionsByName: [String: [Int]] = [:]
    private var macros: [String: Set<String>] = [:]
    /// The enclosing loop of each loop.
    private var parents: [Int?]
    /// The functions that each loop calls, except those called in nested loops.
    private var calls: [Set<String>]
    private var known: [String: Double] = [:]

    /// Computes the costs of loops.
    ///
    /// - Parameter loops: The loops, sorted by offset.
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

    /// Finds the loops and calls in each loop and function.
    private mutating func place(_ code: [ShaderToken]) {
        var outer: [Int] = []
        // Loops in macros have no position in the code.
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

    /// Returns the number of iterations of all loops of a function.
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

    /// Returns the maximum number of iterations that a call causes: the largest number of all
    /// functions with the called name, plus the numbers of the calls in macros with that name.
    private mutating func turns(ofCall name: String, depth: Int) -> Double {
        if let turns = known[name] { return turns }
        guard functionsByName[name] != nil || macros[name] != nil else { return 0 }
        guard depth < Self.maximumDepth else { return .infinity }
        // Recursive functions do not compile.
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
