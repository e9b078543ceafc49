// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers

/// A linear map of colours, as a matrix of three columns. Each column is the result for a colour
/// whose red, green or blue (or X, Y or Z) is 1 and whose other components are 0.
package struct ColorMatrix: Sendable, Hashable {
    /// The first column.
    package var first: SIMD3<Double>
    /// The second column.
    package var second: SIMD3<Double>
    /// The third column.
    package var third: SIMD3<Double>

    package init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
        self.first = first
        self.second = second
        self.third = third
    }

    /// Creates a matrix from rows, as standards print them.
    init(rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)) {
        self.init(
            [rows.0.x, rows.1.x, rows.2.x], [rows.0.y, rows.1.y, rows.2.y],
            [rows.0.z, rows.1.z, rows.2.z])
    }

    /// The identity matrix.
    package static let identity = ColorMatrix([1, 0, 0], [0, 1, 0], [0, 0, 1])

    static func diagonal(_ values: SIMD3<Double>) -> ColorMatrix {
        ColorMatrix([values.x, 0, 0], [0, values.y, 0], [0, 0, values.z])
    }

    package static func * (matrix: ColorMatrix, color: SIMD3<Double>) -> SIMD3<Double> {
        matrix.first * color.x + matrix.second * color.y + matrix.third * color.z
    }

    package static func * (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
        ColorMatrix(left * right.first, left * right.second, left * right.third)
    }

    package static func * (matrix: ColorMatrix, factor: Double) -> ColorMatrix {
        ColorMatrix(matrix.first * factor, matrix.second * factor, matrix.third * factor)
    }

    /// The inverse matrix.
    ///
    /// - Precondition: the columns are independent.
    package var inverse: ColorMatrix {
        func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
            [
                left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z,
                left.x * right.y - left.y * right.x,
            ]
        }
        let determinant = (first * cross(second, third)).sum()
        precondition(determinant != 0, "the columns must be independent")
        return ColorMatrix(
            rows: (
                cross(second, third) / determinant, cross(third, first) / determinant,
                cross(first, second) / determinant
            ))
    }
}

extension ColorMatrix {
    /// Creates the map from linear light in one set of primaries to linear light in another. The
    /// white of the source becomes the white of the target.
    ///
    /// If the whites differ, they are adapted to each other by Bradford's method, as in ICC
    /// profiles (ICC.1:2022, annex E).
    package init(
        from source: ColorAttachments.Primaries, to target: ColorAttachments.Primaries
    ) {
        let (source, target) = (Chromaticities(source), Chromaticities(target))
        if source == target {
            self = .identity
            return
        }
        let adaptation = Self.bradford(from: source.white, to: target.white)
        self = Self.toXYZ(target).inverse * adaptation * Self.toXYZ(source)
    }

    /// Returns the map from R, G and B to CIE X, Y and Z, according to SMPTE RP 177.
    static func toXYZ(_ colors: Chromaticities) -> ColorMatrix {
        let columns = ColorMatrix(
            xyz(colors.red), xyz(colors.green), xyz(colors.blue))
        return columns * diagonal(columns.inverse * xyz(colors.white))
    }

    /// Returns X, Y and Z of a chromaticity, scaled to Y = 1 if Y is not 0. Two of the three X'Y'Z'
    /// primaries have Y = 0.
    private static func xyz(_ place: SIMD2<Double>) -> SIMD3<Double> {
        guard place.y > 0 else { return [place.x, 0, 1 - place.x] }
        return [place.x / place.y, 1, (1 - place.x - place.y) / place.y]
    }

    private static func bradford(
        from source: SIMD2<Double>, to target: SIMD2<Double>
    ) -> ColorMatrix {
        if source == target { return .identity }
        let cone = ColorMatrix(
            rows: (
                [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]
            ))
        return cone.inverse * diagonal((cone * xyz(target)) / (cone * xyz(source))) * cone
    }
}

extension Chromaticities {
    /// Creates the chromaticities of a code of H.273 (02/2024), table 2. Codes that the table does
    /// not define give the chromaticities of BT.709.
    package init(_ primaries: ColorAttachments.Primaries) {
        let d65 = SIMD2(0.3127, 0.3290)
        let c = SIMD2(0.310, 0.316)
        func colors(
            _ red: SIMD2<Double>, _ green: SIMD2<Double>, _ blue: SIMD2<Double>,
            _ white: SIMD2<Double>
        ) -> Chromaticities {
            Chromaticities(red: red, green: green, blue: blue, white: white)
        }
        self =
            switch primaries {
            case .bt470m: colors([0.67, 0.33], [0.21, 0.71], [0.14, 0.08], c)
            case .bt470bg: colors([0.64, 0.33], [0.29, 0.60], [0.15, 0.06], d65)
            case .smpte170m, .smpte240m:
                colors([0.630, 0.340], [0.310, 0.595], [0.155, 0.070], d65)
            case .film: colors([0.681, 0.319], [0.243, 0.692], [0.145, 0.049], c)
            case .bt2020: colors([0.708, 0.292], [0.170, 0.797], [0.131, 0.046], d65)
            case .xyz: colors([1, 0], [0, 1], [0, 0], [1.0 / 3, 1.0 / 3])
            case .dciP3: colors([0.680, 0.320], [0.265, 0.690], [0.150, 0.060], [0.314, 0.351])
            case .displayP3: colors([0.680, 0.320], [0.265, 0.690], [0.150, 0.060], d65)
            case .ebu3213: colors([0.630, 0.340], [0.295, 0.605], [0.155, 0.077], d65)
            default: colors([0.64, 0.33], [0.30, 0.60], [0.15, 0.06], d65)
            }
    }
}
