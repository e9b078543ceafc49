// SPDX-License-Identifier: Apache-2.0

import CPlayheadLV2

/// The features that are offered to an instance, in the memory that the instance may keep.
///
/// - Concurrency: constant after its creation.
/// - Ownership: owns the memory, which must outlive the instances.
/// - Corresponds to: `LV2_Feature`, `LV2_Options_Option`.
final class LV2Features {
    /// The features, followed by nil.
    let list: UnsafePointer<UnsafePointer<ph_lv2_feature>?>

    private let pointers: UnsafeMutablePointer<UnsafePointer<ph_lv2_feature>?>
    private let features: UnsafeMutablePointer<ph_lv2_feature>
    private let map: UnsafeMutablePointer<ph_lv2_urid_map>
    private let unmap: UnsafeMutablePointer<ph_lv2_urid_unmap>
    private let options: UnsafeMutablePointer<ph_lv2_option>
    private let lengths: UnsafeMutablePointer<Int32>
    private let rate: UnsafeMutablePointer<Float>

    private static let featureCount = 4
    private static let optionCount = 4

    /// Creates the features of instances that process blocks of up to `maxFrames` frames.
    init(maxFrames: Int, sampleRate: Int) {
        map = .allocate(capacity: 1)
        map.initialize(
            to: ph_lv2_urid_map(
                handle: nil,
                map: { _, uri in uri.map { LV2Identifiers.number(of: String(cString: $0)) } ?? 0 }))
        unmap = .allocate(capacity: 1)
        unmap.initialize(
            to: ph_lv2_urid_unmap(
                handle: nil, unmap: { _, number in LV2Identifiers.uri(of: number) }))
        lengths = .allocate(capacity: 3)
        lengths[0] = 1
        lengths[1] = Int32(maxFrames)
        lengths[2] = Int32(maxFrames)
        rate = .allocate(capacity: 1)
        rate.initialize(to: Float(sampleRate))
        options = .allocate(capacity: Self.optionCount + 1)
        options.initialize(repeating: ph_lv2_option(), count: Self.optionCount + 1)
        options[0] = Self.option(LV2URI.minimumBlockLength, LV2URI.atomInt, lengths)
        options[1] = Self.option(LV2URI.maximumBlockLength, LV2URI.atomInt, lengths + 1)
        options[2] = Self.option(LV2URI.nominalBlockLength, LV2URI.atomInt, lengths + 2)
        options[3] = Self.option(LV2URI.sampleRateOption, LV2URI.atomFloat, rate)
        features = .allocate(capacity: Self.featureCount)
        features[0] = Self.feature(LV2URI.map, map)
        features[1] = Self.feature(LV2URI.unmap, unmap)
        features[2] = Self.feature(LV2URI.options, options)
        features[3] = Self.feature(LV2URI.boundedBlockLength, nil)
        pointers = .allocate(capacity: Self.featureCount + 1)
        pointers.initialize(repeating: nil, count: Self.featureCount + 1)
        for index in 0..<Self.featureCount { pointers[index] = UnsafePointer(features + index) }
        list = UnsafePointer(pointers)
    }

    deinit {
        pointers.deallocate()
        features.deallocate()
        options.deallocate()
        rate.deallocate()
        lengths.deallocate()
        unmap.deallocate()
        map.deallocate()
    }

    private static func feature(
        _ uri: String, _ data: UnsafeMutableRawPointer?
    ) -> ph_lv2_feature {
        ph_lv2_feature(uri: LV2Identifiers.uri(of: LV2Identifiers.number(of: uri)), data: data)
    }

    private static func option<Value>(
        _ key: String, _ type: String, _ value: UnsafeMutablePointer<Value>
    ) -> ph_lv2_option {
        ph_lv2_option(
            context: 0, subject: 0, key: LV2Identifiers.number(of: key),
            size: UInt32(MemoryLayout<Value>.size), type: LV2Identifiers.number(of: type),
            value: UnsafeRawPointer(value))
    }
}
