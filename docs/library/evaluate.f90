! Asks a trained run for u and u_x.
!
!   gfortran evaluate.f90 -o evaluate $(pkg-config --libs pinn)
!   ./evaluate runs/burgers
module pinn
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function pinn_load(folder, run, error) bind(c)
      import :: c_int, c_ptr, c_char
      character(kind=c_char), intent(in) :: folder(*)
      type(c_ptr), intent(out) :: run, error
    end function
    integer(c_int) function pinn_compile(run, formulas, threads, compiled, error) bind(c)
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: run
      character(kind=c_char), intent(in) :: formulas(*)
      integer(c_int), value :: threads
      type(c_ptr), intent(out) :: compiled, error
    end function
    ! points(coordinates, count), values(count, formulas): the other way round than in C.
    integer(c_int) function pinn_evaluate(compiled, count, points, values, error) bind(c)
      import :: c_int, c_ptr, c_size_t, c_double
      type(c_ptr), value :: compiled
      integer(c_size_t), value :: count
      real(c_double), intent(in) :: points(*)
      real(c_double), intent(out) :: values(*)
      type(c_ptr), intent(out) :: error
    end function
    subroutine pinn_release(compiled) bind(c)
      import :: c_ptr
      type(c_ptr), value :: compiled
    end subroutine
    subroutine pinn_close(run) bind(c)
      import :: c_ptr
      type(c_ptr), value :: run
    end subroutine
    integer(c_size_t) function c_length(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function
  end interface
contains
  subroutine check(code, error)
    integer(c_int), intent(in) :: code
    type(c_ptr), intent(in) :: error
    character(kind=c_char), pointer :: text(:)
    if (code == 0) return
    call c_f_pointer(error, text, [c_length(error)])
    print '(*(a))', text
    error stop 1
  end subroutine
end module

program evaluate
  use pinn
  implicit none
  integer, parameter :: count = 5
  type(c_ptr) :: run, formulas, error
  real(c_double) :: points(2, count), values(count, 2)
  character(len=4096) :: folder
  integer :: i
  call get_command_argument(1, folder)
  call check(pinn_load(trim(folder)//c_null_char, run, error), error)
  call check(pinn_compile(run, "u, u_x"//c_null_char, 0_c_int, formulas, error), error)
  do i = 1, count
    points(:, i) = [-1 + 0.4d0*i, 0.5d0]
  end do
  call check(pinn_evaluate(formulas, int(count, c_size_t), points, values, error), error)
  do i = 1, count
    print '(a, f5.2, a, f13.9, a, f13.9)', 'u(', points(1, i), ', 0.5) = ', values(i, 1), &
      '  u_x = ', values(i, 2)
  end do
  call pinn_release(formulas)
  call pinn_close(run)
end program
