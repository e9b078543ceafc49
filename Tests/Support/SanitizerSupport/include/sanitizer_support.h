/* SPDX-License-Identifier: Apache-2.0 */

/* Declares nothing: linking the target is enough. */
