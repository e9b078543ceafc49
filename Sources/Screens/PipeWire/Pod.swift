// SPDX-License-Identifier: Apache-2.0

/// A value in the binary format of PipeWire's parameters, with the types that video streams use.
///
/// - Concurrency: a value; any thread.
/// - Corresponds to: `struct spa_pod`.
package enum Pod: Sendable, Hashable {
    /// The kind of a choice, with the numbers of the format.
    package enum Choice: UInt32, Sendable {
        /// One value.
        case none = 0
        /// The default, the minimum and the maximum.
        case range = 1
        /// The default, then all values.
        case list = 3
        /// Bits.
        case flags = 4
    }

    /// An entry of an object.
    package struct Property: Sendable, Hashable {
        var key: UInt32
        var value: Pod

        package init(_ key: UInt32, _ value: Pod) {
            self.key = key
            self.value = value
        }
    }

    case identifier(UInt32)
    case int(Int32)
    case rectangle(width: UInt32, height: UInt32)
    case fraction(UInt32, UInt32)
    /// Values of one type.
    indirect case choice(Choice, [Pod])
    indirect case object(type: UInt32, identifier: UInt32, [Property])

    private var type: UInt32 {
        switch self {
        case .identifier: 3
        case .int: 4
        case .rectangle: 10
        case .fraction: 11
        case .object: 15
        case .choice: 19
        }
    }

    /// Returns the value of a key of an object, which is the default of a choice; nil if there is
    /// none.
    package subscript(key: UInt32) -> Pod? {
        guard case .object(_, _, let properties) = self,
            let value = properties.first(where: { $0.key == key })?.value
        else { return nil }
        if case .choice(_, let values) = value { return values.first }
        return value
    }

    // MARK: - Writing

    /// The bytes, whose number is a multiple of 8.
    package var bytes: [UInt8] {
        let body = body
        let whole = Self.bytes(of: UInt32(body.count)) + Self.bytes(of: type) + body
        return whole + [UInt8](repeating: 0, count: -whole.count & 7)
    }

    private var body: [UInt8] {
        switch self {
        case .identifier(let number): Self.bytes(of: number)
        case .int(let number): Self.bytes(of: UInt32(bitPattern: number))
        case .rectangle(let first, let second), .fraction(let first, let second):
            Self.bytes(of: first) + Self.bytes(of: second)
        case .choice(let kind, let values):
            // The values have one header in common, and are not padded.
            [kind.rawValue, 0, UInt32(values.first?.body.count ?? 0), values.first?.type ?? 1]
                .flatMap(Self.bytes) + values.flatMap(\.body)
        case .object(let type, let identifier, let properties):
            [type, identifier].flatMap(Self.bytes)
                + properties.flatMap { [$0.key, 0].flatMap(Self.bytes) + $0.value.bytes }
        }
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    // MARK: - Reading

    /// Reads a value at the start of the bytes. Entries of objects that have other types are left
    /// out. Returns nil if the value has another type or is incomplete.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = Reader(bytes)
        guard let size = reader.number(), let type = reader.number(),
            let body = reader.take(Int(size))
        else { return nil }
        self.init(type, body)
    }

    private init?(_ type: UInt32, _ body: UnsafeRawBufferPointer) {
        var reader = Reader(body)
        switch type {
        case 3:
            guard let number = reader.number() else { return nil }
            self = .identifier(number)
        case 4:
            guard let number = reader.number() else { return nil }
            self = .int(Int32(bitPattern: number))
        case 10, 11:
            guard let first = reader.number(), let second = reader.number() else { return nil }
            self =
                type == 10 ? .rectangle(width: first, height: second) : .fraction(first, second)
        case 19:
            guard let kind = reader.number().flatMap(Choice.init(rawValue:)),
                reader.number() != nil,
                let size = reader.number(), size > 0, let type = reader.number()
            else { return nil }
            var values: [Pod] = []
            while let body = reader.take(Int(size)) {
                guard let value = Pod(type, body) else { return nil }
                values.append(value)
            }
            self = .choice(kind, values)
        case 15:
            guard let type = reader.number(), let identifier = reader.number() else { return nil }
            var properties: [Property] = []
            while let key = reader.number() {
                guard reader.number() != nil, let size = reader.number(),
                    let type = reader.number(), let body = reader.take(Int(size))
                else { return nil }
                if let value = Pod(type, body) { properties.append(Property(key, value)) }
                // The last entry may lack its padding.
                _ = reader.take(-Int(size) & 7)
            }
            self = .object(type: type, identifier: identifier, properties)
        default: return nil
        }
    }

    /// The rest of bytes that are being read.
    private struct Reader {
        private var rest: UnsafeRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

        mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count <= rest.count else { return nil }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
            return UnsafeRawBufferPointer(rebasing: rest[..<count])
        }

        mutating func number() -> UInt32? { take(4)?.loadUnaligned(as: UInt32.self) }
    }
}

extension Pod {
    /// Passes pointers to the bytes of values.
    @discardableResult
    package static func withPointers<Result>(
        to pods: [Pod], _ body: (UnsafeMutablePointer<UnsafeRawPointer?>?, UInt32) -> Result
    ) -> Result {
        let all = pods.map(\.bytes)
        // Each number of bytes is a multiple of 8, so that all values are aligned.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: all.reduce(0) { $0 + $1.count }, alignment: 8)
        defer { memory.deallocate() }
        memory.copyBytes(from: all.joined())
        var place = 0
        var pointers = all.map { bytes -> UnsafeRawPointer? in
            defer { place += bytes.count }
            return memory.baseAddress.map { UnsafeRawPointer($0 + place) }
        }
        return pointers.withUnsafeMutableBufferPointer { pointers in
            body(pointers.baseAddress, UInt32(pods.count))
        }
    }
}
