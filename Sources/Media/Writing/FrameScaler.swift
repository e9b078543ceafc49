// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A scaler that draws a Y'CbCr frame, scaled, rotated and mirrored, into a rectangle of a larger
/// black frame. The bit depth, chroma resolution and range become those of the larger frame. The
/// colour space is unchanged.
///
/// Each component is scaled separately, according to the positions of its samples, so that colours
/// do not shift relative to the brightness.
///
/// - Concurrency: one thread.
package struct FrameScaler {
    /// A rectangle in a frame, in pixels.
    package struct Rectangle: Sendable, Hashable {
        package var x: Int
        package var y: Int
        package var width: Int
        package var height: Int

        package init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }
    }

    /// The properties on which the axes of luma and chroma depend. Frames with equal properties
    /// share axes.
    private struct Key: Equatable {
        var format: PixelFormat
        var width: Int
        var height: Int
        var orientation: PictureOrientation
        var siting: ColorAttachments.ChromaLocation
    }

    private let format: PixelFormat
    private let width: Int
    private let height: Int
    private let color: ColorAttachments
    private let pool: (any PixelBufferPool)?
    private var key: Key?
    private var rectangle: Rectangle?
    /// The axes along the rows and the columns of the source, for luma and for chroma.
    private var axes: [(across: ScaledAxis, down: ScaledAxis)] = []

    /// Creates a scaler.
    ///
    /// - Parameters:
    ///   - format: The layout of the resulting frames, which must be planar Y'CbCr.
    ///   - color: The colour attachments of the resulting frames. Only their range is used.
    package init(
        format: PixelFormat, width: Int, height: Int, color: ColorAttachments,
        pool: (any PixelBufferPool)? = nil
    ) {
        precondition(format.model == .yCbCr && format.planeCount == format.components.count)
        self.format = format
        self.width = width
        self.height = height
        self.color = color
        self.pool = pool
    }

    /// Returns a Boolean value that indicates whether frames of a layout can be scaled.
    package static func takes(_ format: PixelFormat) -> Bool {
        format.model != .rgb && !format.isFloat && format.log2ChromaWidth <= 1
            && format.log2ChromaHeight <= 1
            && format.components.allSatisfy { $0.depth + $0.shift <= 16 && $0.depth >= 8 }
    }

    /// Returns a black frame.
    package func black() -> PixelBuffer {
        PixelBuffer(
            format: format, width: width, height: height,
            attachments: PixelBufferAttachments(color: color), pool: pool
        ) { plane, bytes, bytesPerRow in
            fillBlack(
                plane, bytes, bytesPerRow, format.planeSize(plane, width: width, height: height))
        }
    }

    /// Scales a frame into a rectangle.
    ///
    /// - Parameters:
    ///   - rectangle: The rectangle for the frame. If chroma is subsampled, the origin of the
    ///     rectangle must be even.
    ///   - orientation: The rotation and mirroring to apply.
    package mutating func scale(
        _ buffer: PixelBuffer, into rectangle: Rectangle, orientation: PictureOrientation
    ) -> PixelBuffer {
        let siting = buffer.color.chromaLocation
        let key = Key(
            format: buffer.format, width: buffer.width, height: buffer.height,
            orientation: orientation, siting: siting)
        if key != self.key || rectangle != self.rectangle {
            axes = [false, true].map { makeAxes($0, key, rectangle) }
            self.key = key
            self.rectangle = rectangle
        }
        var attachments = buffer.attachments
        attachments.color = color
        attachments.orientation = .up
        attachments.pixelAspectRatio = .square
        let isWhole =
            rectangle.x == 0 && rectangle.y == 0 && rectangle.width == width
            && rectangle.height == height
        return PixelBuffer(
            format: format, width: width, height: height, attachments: attachments, pool: pool
        ) { plane, bytes, bytesPerRow in
            let isChroma = format.isChroma(plane: plane)
            let hasSource =
                plane == 3 ? buffer.format.hasAlpha : !isChroma || buffer.format.model == .yCbCr
            if !isWhole || !hasSource {
                fillBlack(
                    plane, bytes, bytesPerRow,
                    format.planeSize(plane, width: width, height: height))
            }
            guard hasSource else { return }
            let component = plane == 3 ? buffer.format.components.count - 1 : plane
            let (shiftX, shiftY) =
                isChroma ? (format.log2ChromaWidth, format.log2ChromaHeight) : (0, 0)
            let offset =
                (rectangle.y >> shiftY) * bytesPerRow
                + (rectangle.x >> shiftX) * format.components[plane].step
            resample(
                buffer, component, axes[isChroma ? 1 : 0], orientation,
                map(component, of: buffer, to: plane),
                UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]), bytesPerRow,
                depth: format.components[plane].depth)
        }
    }

    // MARK: - Axes

    /// Returns the positions of a component's samples along an axis, in pixels. Each chroma sample
    /// is midway between two pixels or at the first of them (H.273, figure 1).
    private static func places(
        count: Int, shift: Int, isCosited: Bool
    ) -> [Double] {
        let step = Double(1 << shift)
        return (0..<count).map {
            isCosited && shift > 0 ? Double($0) * step + 0.5 : (Double($0) + 0.5) * step
        }
    }

    private static func isCosited(
        _ location: ColorAttachments.ChromaLocation
    ) -> (across: Bool, down: Bool) {
        switch location {
        case .unspecified, .left: (true, false)
        case .center: (false, false)
        case .topLeft: (true, true)
        case .top: (false, true)
        // Here, the last of two samples can be treated like the first: both are half a pixel from
        // the middle.
        case .bottomLeft: (true, false)
        case .bottom: (false, false)
        }
    }

    private func makeAxes(
        _ isChroma: Bool, _ key: Key, _ rectangle: Rectangle
    ) -> (across: ScaledAxis, down: ScaledAxis) {
        let source = key.format
        let isSubsampled = isChroma && source.model == .yCbCr
        let shifts = isSubsampled ? (source.log2ChromaWidth, source.log2ChromaHeight) : (0, 0)
        let cosited = Self.isCosited(key.siting)
        let targetShifts = isChroma ? (format.log2ChromaWidth, format.log2ChromaHeight) : (0, 0)
        let target = Self.isCosited(color.chromaLocation)
        func count(_ size: Int, _ shift: Int) -> Int { (size + (1 << shift) - 1) >> shift }
        // These are positions in the result, along its rows and columns, in pixels of the result.
        let x = Self.places(
            count: count(rectangle.width, targetShifts.0), shift: targetShifts.0,
            isCosited: target.across)
        let y = Self.places(
            count: count(rectangle.height, targetShifts.1), shift: targetShifts.1,
            isCosited: target.down)
        let turns = key.orientation.quarterTurns
        let swaps = turns % 2 == 1
        // The positions in the result are converted to positions in the stored frame, which is
        // mirrored first and then rotated clockwise. A quarter turn moves the stored (x, y) to
        // (height - y, x).
        let shown = (Double(rectangle.width), Double(rectangle.height))
        func flipped(_ values: [Double], _ size: Double, _ flips: Bool) -> [Double] {
            flips ? values.map { size - $0 } : values
        }
        let along = swaps ? y : x
        let alongSize = swaps ? shown.1 : shown.0
        let aside = swaps ? x : y
        let asideSize = swaps ? shown.0 : shown.1
        let turnsAlong = turns == 2 || turns == 3
        let turnsAside = turns == 1 || turns == 2
        let across = flipped(along, alongSize, turnsAlong != key.orientation.isMirrored)
        let down = flipped(aside, asideSize, turnsAside)
        func axis(
            _ places: [Double], _ size: Double, _ sourceSize: Int, _ shift: Int, _ cosited: Bool
        ) -> ScaledAxis {
            let ratio = Double(sourceSize) / size
            let step = Double(1 << shift)
            let targetStep = places.count > 1 ? abs(places[1] - places[0]) : 1
            return ScaledAxis(
                places: places.map { place in
                    let pixel = place * ratio
                    return cosited && shift > 0 ? (pixel - 0.5) / step : pixel / step - 0.5
                }, count: count(sourceSize, shift), scale: ratio * targetStep / step)
        }
        return (
            axis(across, alongSize, key.width, shifts.0, cosited.across),
            axis(down, asideSize, key.height, shifts.1, cosited.down)
        )
    }

    // MARK: - Samples

    /// Returns the factor and the offset that convert codes of a component in the source to codes
    /// in the result.
    private func map(_ component: Int, of buffer: PixelBuffer, to plane: Int) -> (Float, Float) {
        let depth = format.components[plane].depth
        let sourceDepth = buffer.format.components[component].depth
        if plane == 3 {
            return (Float((1 << depth) - 1) / Float((1 << sourceDepth) - 1), 0)
        }
        let range = buffer.color.range
        guard let old = ColorMatrix(.bt709, range: range, depth: sourceDepth),
            let new = ColorMatrix(.bt709, range: color.range, depth: depth)
        else { return (1, 0) }
        if plane == 0 {
            let factor = new.lumaSpan / old.lumaSpan
            return (Float(factor), Float(new.black - old.black * factor))
        }
        let factor = new.chromaSpan / old.chromaSpan
        return (Float(factor), Float(new.chromaZero - old.chromaZero * factor))
    }

    private func resample(
        _ buffer: PixelBuffer, _ component: Int, _ axes: (across: ScaledAxis, down: ScaledAxis),
        _ orientation: PictureOrientation, _ map: (factor: Float, summand: Float),
        _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int, depth: Int
    ) {
        let place = buffer.format.components[component]
        let plane = buffer.planes[place.plane]
        let columns = Self.columns(of: component, in: buffer)
        let limit = Float((1 << depth) - 1)
        let swaps = orientation.swapsAxes
        let bytesPerSample = depth > 8 ? 2 : 1
        guard let target = bytes.baseAddress else { return }
        withUnsafeTemporaryAllocation(of: Float.self, capacity: columns) { line in
            guard let line = line.baseAddress else { return }
            for row in axes.down.first.indices {
                line.initialize(repeating: 0, count: columns)
                for tap in 0..<axes.down.tapCount {
                    let weight = axes.down.weights[row * axes.down.tapCount + tap]
                    guard weight != 0 else { continue }
                    Self.add(
                        plane.baseAddress + (axes.down.first[row] + tap) * plane.bytesPerRow,
                        place, buffer.format.isBigEndian, weight, to: line, columns)
                }
                axes.across.weights.withUnsafeBufferPointer { weights in
                    axes.across.first.withUnsafeBufferPointer { first in
                        for index in first.indices {
                            let start = line + first[index]
                            let row0 = index * axes.across.tapCount
                            var sum: Float = 0
                            for tap in 0..<axes.across.tapCount {
                                sum += weights[row0 + tap] * start[tap]
                            }
                            let code = min(max(sum * map.factor + map.summand + 0.5, 0), limit)
                            let address =
                                swaps
                                ? target + index * bytesPerRow + row * bytesPerSample
                                : target + row * bytesPerRow + index * bytesPerSample
                            if bytesPerSample == 2 {
                                address.storeBytes(of: UInt16(code), as: UInt16.self)
                            } else {
                                address.storeBytes(of: UInt8(code), as: UInt8.self)
                            }
                        }
                    }
                }
            }
        }
    }

    /// The number of samples in a row of a component.
    private static func columns(of component: Int, in buffer: PixelBuffer) -> Int {
        let format = buffer.format
        let isChroma = format.model == .yCbCr && (component == 1 || component == 2)
        let shift = isChroma ? format.log2ChromaWidth : 0
        return (buffer.width + (1 << shift) - 1) >> shift
    }

    /// Adds a row of samples, multiplied by a weight.
    private static func add(
        _ row: UnsafeRawPointer, _ place: PixelFormat.Component, _ isBigEndian: Bool,
        _ weight: Float, to line: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        if place.depth + place.shift <= 8, place.shift == 0, place.step == 1 {
            let samples = (row + place.offset).assumingMemoryBound(to: UInt8.self)
            for x in 0..<count { line[x] += weight * Float(samples[x]) }
            return
        }
        let mask = UInt16(truncatingIfNeeded: (1 << place.depth) - 1)
        let shift = UInt16(place.shift)
        if place.depth + place.shift > 8, !isBigEndian, place.step == 2,
            Int(bitPattern: row + place.offset) % 2 == 0
        {
            let samples = (row + place.offset).assumingMemoryBound(to: UInt16.self)
            for x in 0..<count { line[x] += weight * Float((samples[x] >> shift) & mask) }
            return
        }
        for x in 0..<count {
            let address = row + place.offset + x * place.step
            let value: UInt16
            if place.depth + place.shift > 8 {
                let stored = address.loadUnaligned(as: UInt16.self)
                value = isBigEndian ? stored.bigEndian : stored
            } else {
                value = UInt16(address.load(as: UInt8.self))
            }
            line[x] += weight * Float((value >> shift) & mask)
        }
    }

    private func fillBlack(
        _ plane: Int, _ bytes: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int,
        _ size: (width: Int, height: Int)
    ) {
        let depth = format.components[plane].depth
        guard let matrix = ColorMatrix(.bt709, range: color.range, depth: depth) else { return }
        let code =
            plane == 3
            ? (1 << depth) - 1
            : Int(format.isChroma(plane: plane) ? matrix.chromaZero : matrix.black)
        for y in 0..<size.height {
            let row = UnsafeMutableRawBufferPointer(
                rebasing: bytes[(y * bytesPerRow)..<((y + 1) * bytesPerRow)])
            if depth > 8 {
                for x in 0..<size.width {
                    row.storeBytes(of: UInt16(code), toByteOffset: x * 2, as: UInt16.self)
                }
            } else {
                row.initializeMemory(as: UInt8.self, repeating: UInt8(code))
            }
        }
    }
}
