// SPDX-License-Identifier: Apache-2.0

/// An object that receives the faults that the validation of a video composition finds.
///
/// - Concurrency: called on the thread that validates.
/// - Corresponds to: `AVVideoCompositionValidationHandling`, with one method for all faults.
public protocol VideoCompositionValidationHandling {
    /// Receives a fault.
    ///
    /// - Parameter fault: The fault, with its instruction, its track and its time.
    /// - Returns: A Boolean value that indicates whether validation continues to the next fault.
    func videoComposition(
        _ composition: VideoComposition, shouldContinueValidatingAfter fault: VideoCompositionError
    ) -> Bool
}
