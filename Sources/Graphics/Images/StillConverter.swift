// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
import PlayheadConversion

/// Makes RGBA of pictures in any format, at any size, upright, by the processor alone.
///
/// Shrinking takes the mean of all samples that a pixel covers, so that thumbnails neither flicker nor
/// show moiré; enlarging draws straight lines between samples, as the renderer does. The numbers are
/// those of `YCbCrConversion`, `ChromaSiting` and `ColorTransform`, as everywhere, so PQ and HLG are tone
/// mapped.
///
/// - Concurrency: any thread.
/// - Corresponds to: `VTCreateCGImageFromCVPixelBuffer`, FFmpeg's `sws_scale` with `SWS_AREA`.
public enum StillConverter {
    /// The size of a picture as it is meant to be seen, no larger than `maximum` in either direction;
    /// 0 in it stands for no limit.
    public static func size(
        of buffer: PixelBuffer, within maximum: (width: Int, height: Int) = (0, 0),
        isUpright: Bool = true
    ) -> (width: Int, height: Int) {
        let shown = buffer.displaySize
        let swaps = !isUpright && buffer.attachments.orientation.swapsAxes
        let (width, height) = swaps ? (shown.height, shown.width) : shown
        var factor = 1.0
        if maximum.width > 0 { factor = min(factor, Double(maximum.width) / width) }
        if maximum.height > 0 { factor = min(factor, Double(maximum.height) / height) }
        return (
            max(1, Int((width * factor).rounded())), max(1, Int((height * factor).rounded()))
        )
    }

    /// A picture as RGBA of the given size.
    ///
    /// - Parameters:
    ///   - isUpright: whether it is turned and mirrored as its orientation says.
    ///   - colorSpace: what the numbers stand for; films of standard range keep theirs.
    public static func image(
        of buffer: PixelBuffer, width: Int, height: Int, isUpright: Bool = true,
        colorSpace: ColorSpace = .bt709
    ) -> RGBAImage {
        precondition(width > 0 && height > 0, "a picture of \(width) x \(height) pixels is none")
        let orientation = isUpright ? buffer.attachments.orientation : .up
        let stored = orientation.swapsAxes ? (height, width) : (width, height)
        let planes = (0..<buffer.format.components.count).map {
            resample(component: $0, of: buffer, width: stored.0, height: stored.1)
        }
        let bytes = convert(planes, of: buffer, count: stored.0 * stored.1, to: colorSpace)
        return turned(bytes, width: stored.0, height: stored.1, orientation)
    }

    // MARK: - Samples

    private static func resample(
        component index: Int, of buffer: PixelBuffer, width: Int, height: Int
    ) -> [Float] {
        let format = buffer.format
        let component = format.components[index]
        let plane = buffer.planes[component.plane]
        let isChroma = format.isChroma(plane: component.plane)
        // In packed 4:2:2 the two chromas stand once for every two lumas of the same plane.
        let isPacked = !isChroma && format.model == .yCbCr && (index == 1 || index == 2)
        let samples =
            isPacked && format.log2ChromaWidth > 0
            ? (plane.width + (1 << format.log2ChromaWidth) - 1) >> format.log2ChromaWidth
            : plane.width
        let siting =
            isChroma || isPacked
            ? ChromaSiting(
                format: format, width: buffer.width, height: buffer.height,
                location: buffer.color.chromaLocation) : .cosited
        let across = ResamplingAxis(
            count: width, sampleCount: samples, scale: siting.scale.x, offset: siting.offset.x)
        let down = ResamplingAxis(
            count: height, sampleCount: plane.height, scale: siting.scale.y,
            offset: siting.offset.y)

        var result = [Float](repeating: 0, count: width * height)
        var sums = [Float](repeating: 0, count: samples)
        for row in 0..<height {
            sums.withUnsafeMutableBufferPointer { sums in
                sums.update(repeating: 0)
                guard let target = sums.baseAddress else { return }
                for place in down.starts[row]..<down.starts[row + 1] {
                    let source = down.first[row] + place - down.starts[row]
                    SampleRow.add(
                        plane.baseAddress + source * plane.bytesPerRow, component, of: format,
                        weight: down.weights[place], to: target, count: samples)
                }
            }
            shrink(sums, across, into: &result, at: row * width)
        }
        return result
    }

    private static func shrink(
        _ row: [Float], _ axis: ResamplingAxis, into result: inout [Float], at start: Int
    ) {
        row.withUnsafeBufferPointer { row in
            axis.weights.withUnsafeBufferPointer { weights in
                result.withUnsafeMutableBufferPointer { result in
                    for pixel in 0..<axis.first.count {
                        var sample = axis.first[pixel]
                        var sum: Float = 0
                        for place in axis.starts[pixel]..<axis.starts[pixel + 1] {
                            sum += weights[place] * row[sample]
                            sample += 1
                        }
                        result[start + pixel] = sum
                    }
                }
            }
        }
    }

    // MARK: - Colour

    private static func convert(
        _ planes: [[Float]], of buffer: PixelBuffer, count: Int, to colorSpace: ColorSpace
    ) -> [UInt8] {
        let format = buffer.format
        let conversion = YCbCrConversion(format: format, color: buffer.color)
        let first = SIMD3<Float>(conversion.first)
        let second = SIMD3<Float>(conversion.second)
        let third = SIMD3<Float>(conversion.third)
        let offset = SIMD3<Float>(conversion.offset)
        let transform = ColorTransform(
            from: buffer.color, peakLuminance: buffer.attachments.peakLuminance, to: colorSpace)
        let transfer = buffer.color.transfer
        let isGray = format.model == .gray
        let alpha = format.hasAlpha ? planes[planes.count - 1] : nil
        let alphaScale = Float(conversion.alphaScale)
        return [UInt8](unsafeUninitializedCapacity: count * 4) { bytes, filled in
            for index in 0..<count {
                let one = planes[0][index]
                var color = first * one + offset
                color += second * (isGray ? one : planes[1][index])
                color += third * (isGray ? one : planes[2][index])
                if conversion.stage != .none {
                    color = SIMD3<Float>(
                        conversion.stage(SIMD3<Double>(color), transfer: transfer))
                }
                if !transform.isIdentity {
                    color = SIMD3<Float>(transform(SIMD3<Double>(color)))
                }
                let codes = (color * 255).clamped(
                    lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255)
                ).rounded(.toNearestOrAwayFromZero)
                let opacity = alpha.map { min(max(0, $0[index] * alphaScale), 1) } ?? 1
                bytes[index * 4] = UInt8(codes.x)
                bytes[index * 4 + 1] = UInt8(codes.y)
                bytes[index * 4 + 2] = UInt8(codes.z)
                bytes[index * 4 + 3] = UInt8((opacity * 255).rounded())
            }
            filled = count * 4
        }
    }

    // MARK: - Orientation

    /// Mirrors, then turns clockwise.
    private static func turned(
        _ bytes: [UInt8], width: Int, height: Int, _ orientation: PictureOrientation
    ) -> RGBAImage {
        guard orientation != .up else {
            return RGBAImage(width: width, height: height, bytes: bytes)
        }
        let size = orientation.swapsAxes ? (height, width) : (width, height)
        let result = [UInt8](unsafeUninitializedCapacity: bytes.count) { target, filled in
            for row in 0..<size.1 {
                for column in 0..<size.0 {
                    var (x, y) =
                        switch orientation.quarterTurns {
                        case 1: (row, height - 1 - column)
                        case 2: (width - 1 - column, height - 1 - row)
                        case 3: (width - 1 - row, column)
                        default: (column, row)
                        }
                    if orientation.isMirrored { x = width - 1 - x }
                    y = y * width + x
                    for channel in 0..<4 {
                        target[(row * size.0 + column) * 4 + channel] = bytes[y * 4 + channel]
                    }
                }
            }
            filled = bytes.count
        }
        return RGBAImage(width: size.0, height: size.1, bytes: result)
    }
}
