// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadEffects
import PlayheadFFmpeg
import Synchronization

@c @implementation
public func playhead_effect_add(
    _ player: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ effect: UnsafeMutablePointer<OpaquePointer?>?
) -> playhead_status {
    Call.player(player) { player in
        guard let effect else { throw CallFailure.argument("effect must not be NULL") }
        effect.pointee = nil
        let name = try Argument.text(name, "name")
        let added = try EffectLibrary.effect(named: name) { path in
            try EffectLibrary.picture(path: path) { try ImageFile.read($0) }
        }
        effect.pointee = try player.add(added)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_add_source(
    _ player: OpaquePointer?, _ text: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?,
    _ effect: UnsafeMutablePointer<OpaquePointer?>?
) -> playhead_status {
    Call.player(player) { player in
        guard let effect else { throw CallFailure.argument("effect must not be NULL") }
        effect.pointee = nil
        let text = try Argument.text(text, "text")
        let name = name.map { String(cString: $0) } ?? "effect"
        effect.pointee = try player.add(try ISFImporter.effect(text: text, path: name))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_remove(_ effect: OpaquePointer?) -> playhead_status {
    Call.destroy(effect, .effect) { (effect: HostedEffect) in effect.removeFromPlayer() }
}

@c @implementation
public func playhead_effect_set_enabled(
    _ effect: OpaquePointer?, _ is_enabled: Int32
) -> playhead_status {
    Call.effect(effect) { effect in
        effect.instance.isEnabled = is_enabled != 0
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_get_input(
    _ effect: OpaquePointer?, _ index: UInt32, _ info: UnsafeMutablePointer<playhead_input_info>?
) -> playhead_status {
    Call.effect(effect) { effect in
        let info = try Argument.out(info, "info")
        let inputs = effect.instance.effect.inputs
        guard index < inputs.count else {
            throw CallFailure(
                PLAYHEAD_NOT_FOUND,
                "there is no input \(index); the effect has \(inputs.count), counted from 0")
        }
        let input = inputs[Int(index)]
        var result = playhead_input_info()
        result.struct_size = info.pointee.struct_size
        result.kind = playhead_input_kind(input.kind.code)
        result.value_count = UInt32(input.kind.valueCount)
        result.has_range = input.minimum != nil && input.maximum != nil ? 1 : 0
        input.defaultValue.write(to: &result.default_value)
        input.minimum?.write(to: &result.minimum)
        input.maximum?.write(to: &result.maximum)
        withUnsafeMutableBytes(of: &result.name) { input.name.copy(to: $0) }
        withUnsafeMutableBytes(of: &result.label) { input.label.copy(to: $0) }
        info.pointee = result
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_set(
    _ effect: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ values: UnsafePointer<Float>?,
    _ count: UInt32
) -> playhead_status {
    Call.effect(effect) { effect in
        guard count <= 4 else {
            throw CallFailure.argument("count must be at most 4, not \(count)")
        }
        guard count == 0 || values != nil else {
            throw CallFailure.argument("values must not be NULL")
        }
        try effect.set(
            try Argument.text(name, "name"), UnsafeBufferPointer(start: values, count: Int(count)))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_get(
    _ effect: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ values: UnsafeMutablePointer<Float>?, _ capacity: UInt32
) -> playhead_status {
    Call.effect(effect) { effect in
        guard let values else { throw CallFailure.argument("values must not be NULL") }
        let numbers = try effect.numbers(try Argument.text(name, "name"))
        for (index, number) in numbers.prefix(Int(capacity)).enumerated() {
            values[index] = number
        }
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_effect_set_image(
    _ effect: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pixels: UnsafeRawPointer?,
    _ width: Int32, _ height: Int32, _ bytes_per_row: Int64
) -> playhead_status {
    Call.effect(effect) { effect in
        let name = try Argument.text(name, "name")
        guard let pixels else {
            try effect.setImage(name, nil)
            return PLAYHEAD_OK
        }
        let sides = 1...HostedMemory.largestSide
        guard sides.contains(Int(width)), sides.contains(Int(height)),
            bytes_per_row >= Int64(width) * 4, bytes_per_row < 1 << 31
        else {
            throw CallFailure.argument(
                "expected 1 to \(HostedMemory.largestSide) pixels per side and at least 4 "
                    + "bytes per pixel "
                    + "in a row, found \(width) x \(height) with \(bytes_per_row) bytes per row")
        }
        guard try effect.input(name).kind == .image else {
            throw CallFailure(
                PLAYHEAD_EFFECT_WRONG_VALUE,
                "input '\(name)' is not an image; set it with playhead_effect_set")
        }
        let picture = PixelBuffer(
            format: .rgba, width: Int(width), height: Int(height),
            attachments: PixelBufferAttachments(
                color: ColorAttachments(
                    matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
        ) { _, bytes, stride in
            for row in 0..<Int(height) {
                UnsafeMutableRawBufferPointer(rebasing: bytes[(row * stride)...]).copyMemory(
                    from: UnsafeRawBufferPointer(
                        start: pixels + row * Int(bytes_per_row), count: Int(width) * 4))
            }
        }
        try effect.setImage(name, picture)
        return PLAYHEAD_OK
    }
}

extension EffectValue {
    /// Writes the value as four numbers, which is its form in the C interface. The kind of the
    /// input determines how many of them are used.
    func write(to values: inout (Float, Float, Float, Float)) {
        let numbers = numbers
        values = (
            numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0,
            numbers.count > 2 ? numbers[2] : 0, numbers.count > 3 ? numbers[3] : 0
        )
    }
}
