// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A radix-2 fast Fourier transform of real samples under a Hann window.
///
/// The library has its own transform, because the audio modules import no C library and one
/// spectrum per frame is little work.
///
/// - Concurrency: one thread at a time.
/// - Ownership: owns its memory.
/// - Corresponds to: `vDSP_fft_zrip`, `av_tx_fn`; Cooley and Tukey, "An algorithm for the machine
///   calculation of complex Fourier series" (1965).
struct FourierTransform: ~Copyable {
    let size: Int
    private let window: UnsafeMutablePointer<Float>
    /// The cosines and sines of −2πk / size.
    private let cosines: UnsafeMutablePointer<Float>
    private let sines: UnsafeMutablePointer<Float>
    private let real: UnsafeMutablePointer<Float>
    private let imaginary: UnsafeMutablePointer<Float>

    /// Creates a transform.
    ///
    /// - Parameter size: The number of samples; a power of two.
    init(size: Int) {
        precondition(size >= 2 && size & (size - 1) == 0, "a transform's size is a power of two")
        self.size = size
        window = .allocate(capacity: size)
        cosines = .allocate(capacity: size / 2)
        sines = .allocate(capacity: size / 2)
        real = .allocate(capacity: size)
        imaginary = .allocate(capacity: size)
        for index in 0..<size {
            let phase = 2 * Double.pi * Double(index) / Double(size)
            window[index] = Float(0.5 - 0.5 * cos(phase))
            if index < size / 2 {
                cosines[index] = Float(cos(phase))
                sines[index] = Float(-sin(phase))
            }
        }
        real.initialize(repeating: 0, count: size)
        imaginary.initialize(repeating: 0, count: size)
    }

    deinit {
        for memory in [window, cosines, sines, real, imaginary] { memory.deallocate() }
    }

    /// Writes the amplitudes for the lower half of the frequencies. A full-scale sine at a bin's
    /// frequency gives an amplitude of 1 in that bin.
    func amplitudes(
        of samples: UnsafeBufferPointer<Float>, into output: UnsafeMutableBufferPointer<Float>
    ) {
        precondition(samples.count == size, "as many samples as the transform looks at")
        let bits = size.trailingZeroBitCount
        for index in 0..<size {
            var (reversed, rest) = (0, index)
            for _ in 0..<bits {
                reversed = reversed << 1 | rest & 1
                rest >>= 1
            }
            real[reversed] = samples[index] * window[index]
            imaginary[reversed] = 0
        }
        transform()
        // The window halves the amplitude of a sine, and half of it is at the negative frequency.
        let scale = 4 / Float(size)
        for index in 0..<min(output.count, size / 2) {
            let power = real[index] * real[index] + imaginary[index] * imaginary[index]
            output[index] = power.squareRoot() * (index == 0 ? scale / 2 : scale)
        }
    }

    private func transform() {
        var half = 1
        while half < size {
            let step = size / (2 * half)
            var start = 0
            while start < size {
                for index in 0..<half {
                    let (cosine, sine) = (cosines[index * step], sines[index * step])
                    let (low, high) = (start + index, start + index + half)
                    let oddReal = real[high] * cosine - imaginary[high] * sine
                    let oddImaginary = real[high] * sine + imaginary[high] * cosine
                    real[high] = real[low] - oddReal
                    imaginary[high] = imaginary[low] - oddImaginary
                    real[low] += oddReal
                    imaginary[low] += oddImaginary
                }
                start += 2 * half
            }
            half *= 2
        }
    }
}
